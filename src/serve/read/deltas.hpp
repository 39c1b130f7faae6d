// Changes from the watches and from muster's own writes, in the order in which they are applied to the model.
#pragma once

#include <string>
#include <variant>

#include "model/objects.hpp"

namespace muster::serve {

struct Gone {
  std::string kind, ns, name;
};
// A pod has joined a PodGroup that its object does not name yet.
struct Membership {
  std::string uid, group, sub_group;
};
// An assumed bind will not happen.
struct BindEnded {
  std::string ns, name, uid;
};
// An assumed eviction will not happen.
struct EvictionEnded {
  std::string ns, name, uid;
};
// Assumed annotations of a PodGroup will not be written.
struct PatchEnded {
  std::string ns, name;
};

using Delta = std::variant<Object, Gone, Membership, BindEnded, EvictionEnded, PatchEnded>;

}  // namespace muster::serve
