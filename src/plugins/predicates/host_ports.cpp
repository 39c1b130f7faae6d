// Keeps, for each node, a list of the shapes with host ports that are placed there, one entry per task.
#include "plugins/predicates/host_ports.hpp"

#include <algorithm>

#include "model/selectors.hpp"

namespace muster::plugins {

HostPortTable::HostPortTable(const Cluster& cluster) : cluster_(cluster) {
  for (TaskId t : ids(cluster.tasks()))
    if (cluster.task(t).alive) moved(t, Placement{}, cluster.placement(t));
}

void HostPortTable::moved(TaskId task, const Placement& from, const Placement& to) {
  const ShapeId shape = cluster_.task(task).shape;
  if (cluster_.shape(shape).constraints.host_ports.empty() || same_places(from, to)) return;
  for_each_place(from, [&](NodeId node) { remove(node, shape); });
  for_each_place(to, [&](NodeId node) { add(node, shape); });
}

void HostPortTable::remove(NodeId node, ShapeId shape) {
  auto& shapes = shapes_on_[node];
  const auto found = std::find(shapes.begin(), shapes.end(), shape);
  assert(found != shapes.end() && "a task leaves a node that it was not on");
  *found = shapes.back();
  shapes.pop_back();
}

const HostPort* HostPortTable::taken(const Shape& shape, NodeId node) const {
  const auto found = shapes_on_.find(node);
  if (found == shapes_on_.end()) return nullptr;
  for (ShapeId other : found->second)
    if (const auto* port =
            colliding(shape.constraints.host_ports, cluster_.shape(other).constraints.host_ports))
      return port;
  return nullptr;
}

}  // namespace muster::plugins
