// Makes cluster autoscalers add nodes for GPU shares. Autoscalers count whole GPUs and see none in a pod that
// requests a share. For shares that do not fit, scaling pods therefore request whole GPUs, like those of
// KAI's node-scale-adjuster. They exit as soon as they run.
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
  std::string image;  // contains muster
  std::string ns = "kai-scale-adjust", app = "scaling-pod";
};

// A deterministic name, so that there is at most one scaling pod for each pod.
std::string scaling_name(const std::string& ns, const std::string& pod);

// A pending pod that requests a share of GPUs.
struct WaitingShare {
  std::string ns, pod;
  std::int64_t devices = 1;      // number of shared devices, all on one node
  std::int64_t thousandths = 0;  // of a GPU, in total
  bool has_pod = false;          // it already has a scaling pod
};
// Returns the indexes of the shares that need a scaling pod. There are enough if all shares together fit on
// the whole GPUs that scaling pods request, and the share with the most devices fits on the GPUs of one of
// them. `asked` has the number of devices of each existing scaling pod.
std::vector<std::size_t> shares_to_scale_for(const std::vector<WaitingShare>& waiting,
                                             std::vector<std::int64_t> asked);

class ScalingPods {
 public:
  ScalingPods(const WriteServices& parts, ScalingOptions options) : p_(parts), options_(std::move(options)) {}

  // To be called after each cycle.
  void look_after(const Cluster& cluster, const Decisions& decisions);

 private:
  kube::Async<void> make(std::string name, std::string ns, std::string pod, std::int64_t devices,
                         std::string cpu, std::string memory);
  kube::Async<void> remove(std::string name, std::string uid);

  const WriteServices p_;
  const ScalingOptions options_;
  kube::Clock::time_point looked_at_{}, removed_at_{};
};

}  // namespace muster::serve
