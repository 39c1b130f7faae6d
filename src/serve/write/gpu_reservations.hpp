// Shared GPUs without a binder: for each device that is shared a pod of our own holds it as a whole, and says
// which one it is. docs/spec/placement.md 6.4.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "serve/write/write_parts.hpp"

namespace muster {
class Cluster;
}

namespace muster::serve {

struct ReservationOptions {
  std::string image;  // of the pods, with `muster reserve-gpu` in it; "": nobody reserves
  std::string runtime_class;
  std::string ns = "kai-resource-reservation", app = "kai-resource-reservation";
  std::string service_account = "kai-resource-reservation";
};

// The same for the same device, so that none is held twice.
std::string reservation_name(const std::string& node, const std::string& group);

class GpuReservations {
 public:
  GpuReservations(const WriteParts& parts, ReservationOptions options)
      : p_(parts), options_(std::move(options)) {}

  bool is_on() const { return !options_.image.empty(); }
  // Adds the device of each group, in their order, as the node's device plugin calls them. What went wrong;
  // "": nothing.
  kube::Async<std::string> reserve(std::string node, std::vector<std::string> groups,
                                   std::vector<std::string>& devices);
  // After each cycle: a reservation that nobody has shared for a while goes.
  void look_after(const Cluster& cluster);

 private:
  kube::Async<std::string> reserve_one(const std::string& node, const std::string& group,
                                       std::string& device);
  kube::Async<std::string> make(const std::string& node, const std::string& group, const std::string& name);
  kube::Async<void> remove(std::string name, std::string uid);

  const WriteParts p_;
  const ReservationOptions options_;
  std::set<std::string> unused_;  // when we last looked
  kube::Clock::time_point looked_at_{};
};

}  // namespace muster::serve
