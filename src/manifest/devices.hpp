// Parts of device claims that other objects carry, too.
#pragma once

#include "manifest/field.hpp"

namespace muster {

AllocationObject allocation_of(const Field& field);

}  // namespace muster
