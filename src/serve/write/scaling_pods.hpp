// Cluster autoscalers count whole GPUs and see none in a pod that asks for a share. For shares that find no
// room pods of our own ask for whole ones, as KAI's node-scale-adjuster makes them; when they run, they end
// at once.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "model/ids.hpp"
#include "serve/write/write_parts.hpp"

namespace muster {
class Cluster;
struct Decisions;
}  // namespace muster

namespace muster::serve {

struct ScalingOptions {
  bool is_on = false;
  std::string image;  // with muster in it
  std::string ns = "kai-scale-adjust", app = "scaling-pod";
};

// The same for the same pod, so that there is one for each.
std::string scaling_name(const std::string& ns, const std::string& pod);

// A share that waits, in the order in which they were told.
struct WaitingShare {
  std::string ns, pod;
  std::int64_t devices = 1;      // from which it is taken, all of one node
  std::int64_t thousandths = 0;  // of a GPU, in all
  bool has_pod = false;          // of ours
};
// Those for which a pod is to be made: until what is asked for has room on the whole GPUs that were asked
// for, and the widest of them on one node. `asked`: devices of each pod of ours that waits.
std::vector<std::size_t> to_scale(const std::vector<WaitingShare>& waiting, std::vector<std::int64_t> asked);

class ScalingPods {
 public:
  ScalingPods(const WriteParts& parts, ScalingOptions options) : p_(parts), options_(std::move(options)) {}

  // After each cycle.
  void look_after(const Cluster& cluster, const Decisions& decisions);

 private:
  kube::Async<void> make(std::string name, std::string ns, std::string pod, std::int64_t devices,
                         std::string cpu, std::string memory);
  kube::Async<void> remove(std::string name, std::string uid);

  const WriteParts p_;
  const ScalingOptions options_;
  kube::Clock::time_point looked_at_{}, removed_at_{};
};

}  // namespace muster::serve
