// Jobs with a pod that could not be bound: the whole job waits, twice as long after each try, and the next
// one asks for all its pods before it binds the first.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <string>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::serve {

class RefusedJobs {
 public:
  struct Refusal {
    std::string pod, why;
    TimePoint since{}, until{};
    std::chrono::seconds wait{0};

    // Not long before it was made, either: then the clock was set back. A cycle's instant may be a little
    // older.
    bool holds(TimePoint now) const { return since - std::chrono::seconds(10) <= now && now < until; }
  };
  using Refusals = absl::flat_hash_map<std::string, Refusal>;  // "ns/name"

  // Several pods that are refused in one try count once.
  void add(const std::string& job, std::string pod, std::string why, TimePoint now);
  void forget(const std::string& job) { refusals_.erase(job); }
  bool contains(const std::string& job) const { return refusals_.contains(job); }

  // What a cycle is to see from now on. Not while one runs.
  void publish(TimePoint now);
  const Refusals& published() const { return published_; }

 private:
  Refusals refusals_, published_;
};

// Refuses to place anything of such jobs until their wait is over. `jobs` must outlive the policy.
PluginFactory patience_with(const RefusedJobs& jobs);
// The same of what a cycle saw once.
PluginFactory patience_as_of(RefusedJobs::Refusals seen);

}  // namespace muster::serve
