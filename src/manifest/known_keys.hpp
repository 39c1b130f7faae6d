// Warns of names that have no effect: unknown fields of a kind, and unknown labels and annotations with the
// prefixes of KAI-Scheduler and muster.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "manifest/field.hpp"

namespace muster {

// Warns of members of the object that are not in `known`.
void check_members(const Field& object, std::initializer_list<std::string_view> known);

// Checks an object of one of our kinds: its top-level members and the keys of its metadata.
void check_object(const Field& root);

// Whether keys without a prefix are checked as well. Only pods have such keys, for example `gpu-fraction`.
enum class PlainKeys : std::uint8_t { kIgnored, kChecked };

// Warns of unknown annotations and labels with our prefixes, and of bad values of those whose meaning does
// not depend on the object.
void check_keys(const Field& metadata, PlainKeys plain);

// Warns of a bad value in an annotation about how long a job runs or waits. The code that uses the annotation
// decides what a bad value means for the job.
void check_runtime_annotation(const Field& annotation);

// Warns of a text that is not a preemptibility.
void check_preemptibility(const Field& field);

}  // namespace muster
