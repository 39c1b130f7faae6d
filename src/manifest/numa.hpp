// Records of where a pod's amounts lie, which pods and bind requests carry.
#pragma once

#include "manifest/field.hpp"

namespace muster {

std::vector<ZoneRecord> zone_records_of(const Field& list);
// The same as the JSON text of an annotation. What is no such text counts for nothing, with a warning.
std::vector<ZoneRecord> zone_records_in(const Field& annotation);

}  // namespace muster
