// What nobody reads is said: fields that a kind does not have, labels and annotations in our name that mean
// nothing.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "manifest/field.hpp"

namespace muster {

// Warns of members of the object beside these.
void check_members(const Field& object, std::initializer_list<std::string_view> known);

// Both for an object of our own kinds: its members at the top, and the keys of its metadata.
void check_object(const Field& root);

// Which keys without a prefix may be meant for us: those of a pod only, where `gpu-fraction` stands.
enum class PlainKeys : std::uint8_t { kIgnored, kChecked };

// Warns of annotations and labels in our name that nobody reads, and of bad values of those whose value
// stands for itself wherever it is written.
void check_keys(const Field& metadata, PlainKeys plain);

// Warns of a bad value of an annotation that speaks of how long a job runs or waits. What it means for the
// job is told where it is used.
void check_runtime_annotation(const Field& annotation);

// Warns of a text that is no preemptibility.
void check_preemptibility(const Field& field);

}  // namespace muster
