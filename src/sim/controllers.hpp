// The controllers of workloads in simulated time, as the timed cluster calls them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster {

class TimedCluster;

// Jobs are PodGroups, named "namespace/name".
class Controllers {
 public:
  virtual ~Controllers() = default;
  // Called once before time passes.
  virtual void begin(TimedCluster& cluster) = 0;
  // A workload is created or changed; `workload` is JSON text.
  virtual void apply(TimedCluster& cluster, const std::string& workload) = 0;
  // Returns false if the workload is unknown.
  virtual bool remove(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                      const std::string& name) = 0;
  virtual bool scale(TimedCluster& cluster, std::string_view kind, const std::string& ns,
                     const std::string& name, std::int64_t replicas) = 0;
  // The time requested with TimedCluster::call_controller() has come.
  virtual void is_time(TimedCluster& cluster, std::uint32_t which) = 0;
  virtual void pod_started(TimedCluster& cluster, const std::string& ns, const std::string& name) = 0;
  virtual void pod_finished(TimedCluster& cluster, const std::string& ns, const std::string& name) = 0;
  virtual void job_ended(TimedCluster& cluster, const std::string& job, bool has_failed) = 0;
  // Returns true if the job is not retried after this number of failed pods.
  virtual bool gives_up(const std::string& job, std::int64_t failures) const = 0;
};

}  // namespace muster
