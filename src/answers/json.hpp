// Answers as JSON, for both the command line and HTTP. docs/json.md describes every field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "answers/explain.hpp"
#include "answers/what_if.hpp"

namespace muster::answers {

// Why a job is pending: reason, message and details.
nlohmann::ordered_json reasons_json(const Cluster& cluster, const std::vector<JobReason>& reasons);
// What each action tried.
nlohmann::ordered_json searches_json(const Cluster& cluster, const std::vector<SearchReport>& searches);
// Milli-cores, bytes and devices.
nlohmann::ordered_json shares_json(const Shares& shares);

// Names of the shared GPUs.
nlohmann::ordered_json group_names(const Cluster& cluster, HoldingId holding);
// {"binds", "evictions", "pipelined", "patches"}, as in a round of simulate.
nlohmann::ordered_json decisions_json(const Cluster& cluster, const Decisions& decisions);

nlohmann::ordered_json change_json(const Change& change);
// Schema muster.dev/explain/v1.
nlohmann::ordered_json explanation_json(const Cluster& cluster, const Explanation& explanation);
// [{"job", "before", "after"}]
nlohmann::ordered_json starts_json(const std::vector<StartMove>& starts);
// Schema muster.dev/what-if/v1.
nlohmann::ordered_json what_if_json(const std::vector<Change>& changes, const Outcome& before,
                                    const Outcome& after, const Differences& differences);

}  // namespace muster::answers
