// What the controllers of workloads do while time passes, as the cluster with a clock asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

class TimedCluster;

// Jobs are PodGroups, as "namespace/name".
class Controllers {
 public:
  virtual ~Controllers() = default;
  // Before time passes.
  virtual void begin(TimedCluster& cluster) = 0;
  // A workload comes, or changes, as JSON text.
  virtual void apply(TimedCluster& cluster, const std::string& workload) = 0;
  // False: it is no workload that they know.
  virtual bool remove(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                      const std::string& name) = 0;
  virtual bool scale(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                     const std::string& name, std::int64_t replicas) = 0;
  // What TimedCluster::call_controller() was asked for.
  virtual void is_time(TimedCluster& cluster, std::uint32_t which) = 0;
  virtual void pod_started(TimedCluster& cluster, const std::string& ns, const std::string& name) = 0;
  virtual void pod_finished(TimedCluster& cluster, const std::string& ns, const std::string& name) = 0;
  virtual void job_ended(TimedCluster& cluster, const std::string& job, bool has_failed) = 0;
  // So many of its pods failed: it is not tried again.
  virtual bool gives_up(const std::string& job, std::int64_t failures) const = 0;
};

}  // namespace muster
