// What the watches and our own writes tell, in the order in which the model shall learn it.
#pragma once

#include <string>
#include <variant>

#include "model/objects.hpp"

namespace muster::serve {

struct Gone {
  std::string kind, ns, name;
};
// A pod has been given to a group that its object does not name yet.
struct Membership {
  std::string uid, group, sub_group;
};
// A bind that we assumed will not happen.
struct BindEnded {
  std::string ns, name, uid;
};
// An eviction that we assumed will not happen.
struct EvictionEnded {
  std::string ns, name, uid;
};
// Annotations of a PodGroup that we assumed will not be written.
struct PatchEnded {
  std::string ns, name;
};

using Delta = std::variant<Object, Gone, Membership, BindEnded, EvictionEnded, PatchEnded>;

}  // namespace muster::serve
