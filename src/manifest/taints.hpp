// Effects of taints and tolerations.
#pragma once

#include "manifest/field.hpp"

namespace muster {

// kAny where none is given; an unknown effect is an error.
TaintEffect taint_effect_of(const Field& effect);

}  // namespace muster
