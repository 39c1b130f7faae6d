// Shared GPUs without KAI's binder: for each shared device, a reservation pod holds the whole device and
// reports which one it is. See docs/kai/placement.md 6.4.
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
  std::string image;  // of the reservation pods, with `muster reserve-gpu` in it; "": no reservations
  std::string runtime_class;
  std::string ns = "kai-resource-reservation", app = "kai-resource-reservation";
  std::string service_account = "kai-resource-reservation";
};

// A deterministic name, so that no device is reserved twice.
std::string reservation_name(const std::string& node, const std::string& group);

class GpuReservations {
 public:
  GpuReservations(const WriteServices& parts, ReservationOptions options)
      : p_(parts), options_(std::move(options)) {}

  bool is_on() const { return !options_.image.empty(); }
  // Appends the device of each group, in order, by its name in the node's device plugin. Returns the
  // problem, or "" on success.
  kube::Async<std::string> reserve(std::string node, std::vector<std::string> groups,
                                   std::vector<std::string>* devices);
  // Call after each cycle. Deletes a reservation that no pod has used for a while. Restores a reservation
  // that was lost while pods share its device. If it then gets another device, deletes these pods, as KAI's
  // binder does.
  void look_after(const Cluster& cluster);

 private:
  // A device of a node, and the pods on the node that share it.
  struct Shared {
    std::string node, group;
    std::vector<PodIdentity> pods;
  };
  using SharedDevices = std::map<std::string, Shared>;  // by the name of the reservation

  void remove_unused(const Cluster& cluster, const std::set<std::string>& used);
  void restore_lost(SharedDevices shared, const std::set<std::string>& present);
  kube::Async<void> restore(Shared shared);
  kube::Async<void> check_sharer(const PodIdentity* pod, std::string device);
  kube::Async<std::string> recorded_devices(const PodIdentity* pod);
  kube::Async<std::string> reserve_one(std::string node, std::string group, std::string* device);
  kube::Async<std::string> make(std::string node, std::string group, std::string name);
  kube::Async<void> remove(std::string name, std::string uid);

  const WriteServices p_;
  const ReservationOptions options_;
  std::set<std::string> unused_, lost_;  // as of the last check
  kube::Clock::time_point looked_at_{};
};

}  // namespace muster::serve
