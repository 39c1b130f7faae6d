// The outcome of a search for victims, for reports about pending jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "util/time.hpp"

namespace muster {

// Running jobs that a rule protects from eviction.
struct NotEvictableJobs {
  std::string rule;
  std::int64_t jobs = 0;
  Charge held;                     // by all of these jobs
  std::optional<TimePoint> until;  // end of the first protection
  JobId first;                     // the job whose protection ends first
};

enum class SearchEnd : std::uint8_t {
  kNoScenario,  // none of the scenarios tried makes room
  kProven,      // provably no set of victims makes room, so none was tried
  kLikeJob,     // a similar job that requests no more did not fit before
  kCutShort,    // at a limit of steps or time; the next cycle continues it
};

struct SearchReport {
  std::string action;
  SearchEnd end = SearchEnd::kNoScenario;
  JobId like;                   // for kLikeJob: that job
  std::int64_t candidates = 0;  // jobs that could be evicted
  std::vector<NotEvictableJobs> spared;
  std::int64_t scenarios = 0;  // number simulated
  std::string last_failure;    // why the last scenario failed
};

}  // namespace muster
