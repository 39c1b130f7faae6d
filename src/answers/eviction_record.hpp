// The record of an eviction, from the decision of a cycle or from the PodGroup's annotation.
#pragma once

#include <optional>
#include <string>

#include "answers/explain.hpp"

namespace muster::answers {

// The record of the eviction that the cycle decided, or of an earlier one after which the job was not started
// again. Returns nothing if there is none.
std::optional<EvictionRecord> eviction_record_of(const State& state, const Cluster& after,
                                                 const Decisions& decided, JobId job);

// The value of annotation muster.dev/last-eviction: JSON in one line.
std::string to_annotation(const EvictionRecord& receipt);
std::optional<EvictionRecord> from_annotation(std::string_view text);
// The record of the pods that the decisions evict from the job.
std::optional<EvictionRecord> eviction_record_in(const Cluster& cluster, const Decisions& decided, JobId job,
                                                 TimePoint now);

}  // namespace muster::answers
