// Renders reasons as text for people. All prose about decisions is written here.
#pragma once

#include <string>

#include "model/cluster.hpp"
#include "model/reason_codes.hpp"
#include "model/reasons.hpp"

namespace muster {

// A sentence: "queue team-a has a limit of 4 GPUs: 3 in use, 2 more requested".
std::string text_of(const Cluster& cluster, const JobReason& reason);
// A phrase to put after a number of nodes: "not enough GPUs (8 requested, at most 4 free)".
std::string text_of(const Cluster& cluster, const NodeRefusal& refusal);

// The rule that protects the jobs, and the time at which the first of them is no longer protected: "minimum
// runtime (train-a until 2025-06-01T12:04:31Z, then 2 more)".
std::string spared_text(const Cluster& cluster, const NotEvictableJobs& spared);

// What a node lacks of a resource: "4 GPUs short (4 of 8 free)".
std::string lack_text(const Cluster& cluster, Kind kind, std::int64_t wanted, std::int64_t free);
// Why a search made no room.
std::string failure_text(const Cluster& cluster, const SearchReport& report);

// With the unit: "3 cores", "12.5 GB", "4 GPUs"; "unlimited" for -1.
std::string amount_text(Accounted resource, double value);
// Likewise for any kind of resource, from its integer units.
std::string amount_text(const Cluster& cluster, Kind kind, std::int64_t units);

}  // namespace muster
