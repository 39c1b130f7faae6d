// Parts that objects of several kinds carry.
#pragma once

#include "manifest/field.hpp"

namespace muster {

LabelSelector label_selector_of(const Field& selector);
std::vector<NodeTerm> node_terms_of(const Field& terms);  // nodeSelectorTerms[]

// kAny where none is given; an unknown effect is an error.
TaintEffect taint_effect_of(const Field& effect);
Toleration toleration_of(const Field& field);

// What a pod or job has to do in simulated time; false where the annotation is about something else. A bad
// value counts as absent, with a warning.
bool read_work(const Field& annotation, Work& work);

// Devices that were chosen for a claim.
AllocationObject allocation_of(const Field& field);

// Where a pod's amounts lie.
std::vector<ZoneRecord> zone_records_of(const Field& list);
// The same as the JSON text of an annotation. What is no such text counts for nothing, with a warning.
std::vector<ZoneRecord> zone_records_in(const Field& annotation);

}  // namespace muster
