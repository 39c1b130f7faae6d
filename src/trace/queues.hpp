// Creates the queues and priority classes that a trace uses but no file defines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "model/objects.hpp"
#include "trace/trace.hpp"

namespace muster::trace {

struct MadeQueues {
  std::vector<QueueObject> queues;  // the parent first; empty if none is missing
  std::string note;                 // describes the created queues for the user
};

// The queues share one parent, with equal weight, no quota and no limit, and were created at `created`.
MadeQueues missing_queues(const Trace& trace, const std::function<bool(const std::string&)>& is_defined,
                          TimePoint created);

// A class for each job priority that is a number.
std::vector<PriorityClassObject> numbered_priorities(const Trace& trace);
// For example "train", or "trace-priority-90" for "90".
std::string priority_class_of(const std::string& priority);

}  // namespace muster::trace
