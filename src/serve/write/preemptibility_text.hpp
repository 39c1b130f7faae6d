// What a job is taken for, as it is published.
#pragma once

#include <string>

#include "model/job.hpp"

namespace muster::serve {

inline constexpr const char* kPreemptibility = "muster.dev/preemptibility";

inline std::string name_of(Preemptibility preemptibility) {
  switch (preemptibility) {
    case Preemptibility::kPreemptible:
      return "preemptible";
    case Preemptibility::kNonPreemptible:
      return "non-preemptible";
    case Preemptibility::kSemiPreemptible:
      break;
  }
  return "semi-preemptible";
}

inline std::string name_of(PreemptibilitySource source) {
  switch (source) {
    case PreemptibilitySource::kSpec:
      return "spec";
    case PreemptibilitySource::kOwnerLabel:
      return "owner label";
    case PreemptibilitySource::kPodLabel:
      return "pod label";
    case PreemptibilitySource::kPriority:
      break;
  }
  return "priority";
}

// "non-preemptible (priority)": the value, and where it was found.
inline std::string preemptibility_text(const Job& job) {
  return name_of(job.preemptibility) + " (" + name_of(job.preemptibility_source) + ")";
}

}  // namespace muster::serve
