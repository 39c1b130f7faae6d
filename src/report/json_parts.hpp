// The parts of the JSON output. docs/json.md describes every field.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "model/cluster.hpp"
#include "sim/rounds.hpp"

namespace muster::report {

nlohmann::ordered_json round_json(const Cluster& cluster, const Round& round, bool with_timing);
nlohmann::ordered_json timing_json(const Decisions& decisions);

// `only`: pods of these jobs; null: all pods.
nlohmann::ordered_json pods_json(const Cluster& cluster, const std::vector<JobId>* only);
nlohmann::ordered_json jobs_json(const Cluster& cluster, const Round& last, const std::vector<JobId>& jobs);
// The properties of a job, without its status and reasons.
nlohmann::ordered_json job_properties_json(const Cluster& cluster, const Job& job);
nlohmann::ordered_json queues_json(const Cluster& cluster, const Round& last);
nlohmann::ordered_json nodes_json(const Cluster& cluster, const Decisions& last);

}  // namespace muster::report
