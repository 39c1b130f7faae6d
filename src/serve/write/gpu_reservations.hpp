// Shared GPUs without a binder: for each device that is shared a pod of our own holds it as a whole, and says
// which one it is. docs/spec/placement.md 6.4.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "serve/write/requests.hpp"

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
  // After each cycle: a reservation that nobody has shared for a while goes, and one that its sharers lost is
  // made again. Where that gets another device, they go, as with KAI's binder.
  void look_after(const Cluster& cluster);

 private:
  // A device of a node, and the pods that stand there and share it.
  struct Shared {
    std::string node, group;
    std::vector<PodIdentity> pods;
  };
  using SharedDevices = std::map<std::string, Shared>;  // by the name of the reservation

  void remove_unused(const Cluster& cluster, const std::set<std::string>& used);
  void restore_lost(SharedDevices shared, const std::set<std::string>& present);
  kube::Async<void> restore(Shared shared);
  kube::Async<void> check_sharer(const PodIdentity& pod, const std::string& device);
  kube::Async<std::string> recorded_devices(const PodIdentity& pod);
  kube::Async<std::string> reserve_one(const std::string& node, const std::string& group,
                                       std::string& device);
  kube::Async<std::string> make(const std::string& node, const std::string& group, const std::string& name);
  kube::Async<void> remove(std::string name, std::string uid);

  const WriteParts p_;
  const ReservationOptions options_;
  std::set<std::string> unused_, lost_;  // when we last looked
  kube::Clock::time_point looked_at_{};
};

}  // namespace muster::serve
