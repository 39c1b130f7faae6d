// Decoders for parts that several kinds share.
#pragma once

#include "manifest/field.hpp"

namespace muster {

LabelSelector label_selector_of(const Field& selector);
std::vector<NodeTerm> node_terms_of(const Field& terms);  // nodeSelectorTerms[]

// Returns kAny if the field is absent. An unknown effect is an error.
TaintEffect taint_effect_of(const Field& effect);
Toleration toleration_of(const Field& field);

// Reads the work of a pod or job in simulated time. Returns false if the annotation has another purpose. A
// bad value counts as absent, with a warning.
bool read_work_annotation(const Field& annotation, Work& work);

// The devices allocated to a claim.
AllocationObject allocation_of(const Field& field);

// The NUMA zones that hold the amounts of a pod.
std::vector<ZoneRecord> zone_records_of(const Field& list);
// Likewise, from an annotation with the list as JSON. Any other text gives an empty list and a warning.
std::vector<ZoneRecord> zone_records_in(const Field& annotation);

}  // namespace muster
