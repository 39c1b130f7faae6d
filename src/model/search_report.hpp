// What a search for room did, for whoever asks why a job still waits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/resources.hpp"
#include "util/time.hpp"

namespace muster {

// Running jobs that a rule kept from being evicted.
struct SparedJobs {
  std::string rule;
  std::int64_t jobs = 0;
  Charge held;                     // by all of them
  std::optional<TimePoint> until;  // the first of them is spared no longer
  JobId first;                     // that one
};

enum class SearchEnd : std::uint8_t {
  kNoScenario,  // none of the scenarios that were tried makes room
  kProven,      // no set of victims could make room, so none was tried
  kLikeJob,     // a like job that asks for no more found no room before
  kCutShort,    // by a limit of steps or time; the next cycle goes on from there
};

struct SearchReport {
  std::string action;
  SearchEnd end = SearchEnd::kNoScenario;
  JobId like;                   // kLikeJob: that job
  std::int64_t candidates = 0;  // jobs that might have been evicted
  std::vector<SparedJobs> spared;
  std::int64_t scenarios = 0;  // simulated
  std::string last_failure;    // why the last of them failed
};

}  // namespace muster
