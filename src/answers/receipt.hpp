// The receipt of an eviction: as a cycle decided it, and as the PodGroup's annotation keeps it.
#pragma once

#include <optional>
#include <string>

#include "answers/explain.hpp"

namespace muster::answers {

// Of the eviction that the cycle decided, or of the one before it that the job still suffers from. Nothing:
// it was not evicted.
std::optional<Receipt> receipt_of(const State& state, const Cluster& after, const Decisions& decided,
                                  JobId job);

// What annotation muster.dev/last-eviction says: JSON, one line.
std::string to_annotation(const Receipt& receipt);
std::optional<Receipt> from_annotation(std::string_view text);
// Of the pods that the decisions take from the job.
std::optional<Receipt> receipt_in(const Cluster& cluster, const Decisions& decided, JobId job, TimePoint now);

}  // namespace muster::answers
