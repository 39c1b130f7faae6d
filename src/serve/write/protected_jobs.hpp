// Jobs whose pods a PodDisruptionBudget has protected lately: not worth another try for a while.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::serve {

class ProtectedJobs {
 public:
  void add(const std::string& job, TimePoint until) { until_[job] = until; }  // "ns/name"
  bool contains(const std::string& job, TimePoint now) const {
    const auto found = until_.find(job);
    return found != until_.end() && now < found->second;
  }
  bool empty() const { return until_.empty(); }

 private:
  absl::flat_hash_map<std::string, TimePoint> until_;
};

// Refuses such jobs as victims. `jobs` must outlive the policy and not change while a cycle runs.
PluginFactory protection_of(const ProtectedJobs& jobs);

}  // namespace muster::serve
