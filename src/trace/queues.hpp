// Queues and priority classes that a trace speaks of and nobody has defined.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/objects.hpp"
#include "trace/trace.hpp"

namespace muster::trace {

struct MadeQueues {
  std::vector<QueueObject> queues;  // the parent first; none where nothing is missing
  std::string note;                 // what was made, for people
};

// Below one parent, with equal weight, entitled to nothing and without a limit. They are as old as `created`.
MadeQueues missing_queues(const Trace& trace, const std::function<bool(const std::string&)>& is_defined,
                          TimePoint created);

// A job that has a number for its priority is of the class of that number.
std::vector<PriorityClassObject> numbered_priorities(const Trace& trace);
// "train", or "trace-priority-90" for "90".
std::string priority_class_of(const std::string& priority);

}  // namespace muster::trace
