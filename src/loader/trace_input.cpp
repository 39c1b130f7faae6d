// Adds the nodes and the arriving jobs of a trace to the inputs.
#include "loader/trace_input.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "grouper/default_objects.hpp"
#include "loader/inputs.hpp"
#include "trace/arrivals.hpp"
#include "trace/queues.hpp"

namespace muster::loader {
namespace {

std::set<std::string> named_classes(const trace::Trace& trace) {
  std::set<std::string> names;
  for (const trace::TraceJob& job : trace.jobs)
    names.insert(trace::priority_class_of(trace.texts[job.priority]));
  names.erase("");
  return names;
}

// Adds the named priority classes that are numbers or shipped with KAI-Scheduler. Warns about others.
void add_priority_classes(const trace::Trace& trace, Inputs& inputs) {
  for (PriorityClassObject& priority : trace::numbered_priorities(trace))
    inputs.cluster.apply(std::move(priority));
  for (const std::string& name : named_classes(trace)) {
    const auto& known = inputs.cluster.kept().all<PriorityClassObject>();
    if (known.contains(name)) continue;
    const nlohmann::json shipped = grouper::shipped_priority_class(name);
    if (shipped.is_null())
      inputs.findings.warnings.push_back(
          {fmt::format("PriorityClass \"{}\" is not in these files; the default priority is used", name),
           {.file = trace.file, .path = "priority"}});
    else
      inputs.cluster.apply(
          PriorityClassObject{.meta = {.name = name, .uid = name}, .value = shipped["value"]});
  }
}

}  // namespace

void TraceInput::add_nodes(Inputs& inputs) const {
  for (NodeObject node : nodes_.nodes) {
    node.meta.created = inputs.now;
    if (inputs.over_time) inputs.agenda.nodes[node.meta.name] = node;
    inputs.cluster.apply(std::move(node));
  }
}

void TraceInput::add_jobs(Inputs& inputs) const {
  Cluster& cluster = inputs.cluster;
  const auto is_defined = [&](const std::string& name) {
    const QueueId queue = cluster.find_queue(name);
    return queue.valid() && cluster.queue(queue).present;
  };
  trace::MadeQueues made = trace::missing_queues(*trace_, is_defined, inputs.now);
  if (!made.note.empty()) inputs.notes.push_back(made.note);
  for (QueueObject& queue : made.queues) cluster.apply(std::move(queue));
  add_priority_classes(*trace_, inputs);
  inputs.agenda.arrivals.push_back(
      std::make_unique<trace::TraceArrivals>(trace_, inputs.now, inputs.config.params.scheduler_name));
}

}  // namespace muster::loader
