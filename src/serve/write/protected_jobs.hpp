// Jobs that could not be evicted lately, be it that a PodDisruptionBudget protects them: not worth another
// try for a while.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::serve {

// Rules that protect, in words.
inline constexpr std::string_view kByBudget = "disruption budget";
inline constexpr std::string_view kWithoutCooldown = "its cooldown can not be written";
// The one that reads so; what is none of them is told as the first.
std::string_view protection_rule(std::string_view text);

class ProtectedJobs {
 public:
  struct Protection {
    std::string_view rule;  // lives for ever
    TimePoint until{};
  };
  void add(const std::string& job, Protection protection) { jobs_[job] = protection; }  // "ns/name"
  // Null where nothing protects it any more.
  const Protection* of(const std::string& job, TimePoint now) const {
    const auto found = jobs_.find(job);
    return found != jobs_.end() && now < found->second.until ? &found->second : nullptr;
  }
  // True where there were some.
  bool forget_before(TimePoint now) {
    return absl::erase_if(jobs_, [&](const auto& item) { return item.second.until <= now; }) > 0;
  }
  bool empty() const { return jobs_.empty(); }
  const absl::flat_hash_map<std::string, Protection>& all() const { return jobs_; }

 private:
  absl::flat_hash_map<std::string, Protection> jobs_;
};

// Refuses such jobs as victims. `jobs` must outlive the policy and not change while a cycle runs.
PluginFactory protection_of(const ProtectedJobs& jobs);
// The same of what a cycle saw once.
PluginFactory protection_as_of(ProtectedJobs seen);

}  // namespace muster::serve
