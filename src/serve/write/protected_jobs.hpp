// Jobs that could not be evicted lately, be it that a PodDisruptionBudget protects them: not worth another
// try for a while.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <string>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::serve {

class ProtectedJobs {
 public:
  struct Protection {
    const char* rule;  // that protects it, in words; lives for ever
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

 private:
  absl::flat_hash_map<std::string, Protection> jobs_;
};

// Refuses such jobs as victims. `jobs` must outlive the policy and not change while a cycle runs.
PluginFactory protection_of(const ProtectedJobs& jobs);

}  // namespace muster::serve
