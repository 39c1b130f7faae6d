// Jobs with a pod that could not be bound. The whole job waits, twice as long after each refused attempt. The
// next attempt begins with a dry run of all its binds.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <chrono>
#include <string>

#include "engine/cycle/plugin.hpp"
#include "util/time.hpp"

namespace muster::plugins {

class RefusedJobs {
 public:
  struct Refusal {
    std::string pod, why;
    TimePoint since{}, until{};
    std::chrono::seconds wait{0};

    // The time of a cycle may be a little before `since`. A time long before it means that the clock was set
    // back; the refusal then does not hold.
    bool holds(TimePoint now) const { return since - std::chrono::seconds(10) <= now && now < until; }
  };
  using Refusals = absl::flat_hash_map<std::string, Refusal>;  // "ns/name"

  // Several pods that are refused in one attempt count once.
  void add(const std::string& job, std::string pod, std::string why, TimePoint now);
  void forget(const std::string& job) { refusals_.erase(job); }
  bool contains(const std::string& job) const { return refusals_.contains(job); }

  // Makes the current refusals visible to cycles. REQUIRES: no cycle is running.
  void publish(TimePoint now);
  const Refusals& published() const { return published_; }

 private:
  Refusals refusals_, published_;
};

// A plugin that refuses to place pods of such jobs until their wait is over. `jobs` must outlive the policy.
PluginFactory refused_jobs_plugin(const RefusedJobs& jobs);
// Likewise for the refusals of a recorded cycle.
PluginFactory recorded_refused_jobs_plugin(RefusedJobs::Refusals seen);

}  // namespace muster::plugins
