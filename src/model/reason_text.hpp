// Reasons in words. The only place that writes prose about decisions.
#pragma once

#include <string>

#include "model/cluster.hpp"
#include "model/reason_codes.hpp"
#include "model/reasons.hpp"

namespace muster {

// A sentence for people: "queue team-a may hold 4 GPUs: 3 are in use and 2 more are wanted".
std::string text_of(const Cluster& cluster, const JobReason& reason);
// "not enough GPUs (8 wanted, at most 4 free)", to stand behind a count of nodes.
std::string text_of(const Cluster& cluster, const NodeRefusal& refusal);

// Why jobs are spared, and until when the first of them is: "minimum runtime (train-a until
// 2025-06-01T12:04:31Z, then 2 more)".
std::string spared_text(const Cluster& cluster, const SparedJobs& spared);

// What a node lacks of a resource: "4 GPUs short (4 of 8 free)".
std::string lack_text(const Cluster& cluster, Kind kind, std::int64_t wanted, std::int64_t free);
// Why a search made no room.
std::string failure_text(const Cluster& cluster, const SearchReport& report);

// "2.5", "12": at most three decimals, none that are zero.
std::string decimal(double value);
// With its unit: "3 cores", "12.5 GB", "4 GPUs"; "unlimited" for -1.
std::string amount_text(Accounted resource, double value);
// The same for any kind of resource, from its integer units.
std::string amount_text(const Cluster& cluster, Kind kind, std::int64_t units);

}  // namespace muster
