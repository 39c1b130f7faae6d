// A queue: its object and its position in the tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "model/objects.hpp"
#include "model/resources.hpp"

namespace muster {

struct Queue : QueueObject {  // the object as last applied
  std::string name;           // identity; also set if it was only mentioned
  bool present = false;       // has an object
  bool usable = false;        // it and all its ancestors are present

  QueueId parent;                 // not valid for top-level queues
  std::vector<QueueId> children;  // by creation time, then name
  std::int32_t depth = 0;

  bool is_leaf() const { return children.empty(); }
  const std::string& shown_name() const { return display_name.empty() ? name : display_name; }
  bool admits(std::string_view ns) const;
  const QueueAmounts& of(Accounted r) const { return this->*kAmounts[index(r)]; }

 private:
  static constexpr QueueAmounts QueueObject::*kAmounts[] = {&QueueObject::cpu, &QueueObject::memory,
                                                            &QueueObject::gpu};
};

// The amounts that a queue and its descendants use and request. Every move updates them.
struct QueueUse {
  Charge allocated;        // active-allocated tasks
  Charge non_preemptible;  // the part that may not be reclaimed
  Charge pending;
  std::int64_t pending_gpu_memory = 0;  // MiB × devices of pending GPU-memory requests
  bool operator==(const QueueUse&) const = default;
};

}  // namespace muster
