// Jobs whose eviction was refused recently, for example by a PodDisruptionBudget. They are not tried again
// for a while.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::plugins {

// The rules that protect a job, as text for users.
inline constexpr std::string_view kByBudget = "disruption budget";
inline constexpr std::string_view kWithoutCooldown = "its cooldown cannot be written";
// Returns the rule with this text, or the disruption budget for any other text.
std::string_view protection_rule(std::string_view text);

class ProtectedJobs {
 public:
  struct Protection {
    std::string_view rule;  // points to static storage
    TimePoint until{};
  };
  void add(const std::string& job, Protection protection) { jobs_[job] = protection; }  // "ns/name"
  // Returns null if the job is not protected, or no longer.
  const Protection* of(const std::string& job, TimePoint now) const {
    const auto found = jobs_.find(job);
    return found != jobs_.end() && now < found->second.until ? &found->second : nullptr;
  }
  // Returns true if it removed any.
  bool forget_before(TimePoint now) {
    return absl::erase_if(jobs_, [&](const auto& item) { return item.second.until <= now; }) > 0;
  }
  bool empty() const { return jobs_.empty(); }
  const absl::flat_hash_map<std::string, Protection>& all() const { return jobs_; }

 private:
  absl::flat_hash_map<std::string, Protection> jobs_;
};

// Refuses such jobs as victims. `jobs` must outlive the policy and not change while a cycle runs.
PluginFactory protected_jobs_plugin(const ProtectedJobs& jobs);
// Likewise for the jobs that were protected in a recorded cycle.
PluginFactory recorded_protected_jobs_plugin(ProtectedJobs seen);

}  // namespace muster::plugins
