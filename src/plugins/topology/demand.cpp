// Adds up a group's requests, shape by shape rather than task by task.
#include "plugins/topology/demand.hpp"

#include <absl/container/inlined_vector.h>

#include <algorithm>

namespace muster::plugins {
namespace {

struct ShapeCount {
  ShapeId shape;
  std::int64_t tasks = 0;
};
using ShapeCounts = absl::InlinedVector<ShapeCount, 8>;

ShapeCounts count_shapes(const Cluster& cluster, std::span<const TaskId> tasks) {
  ShapeCounts counts;
  for (TaskId t : tasks) {
    const ShapeId shape = cluster.task(t).shape;
    auto at =
        std::find_if(counts.begin(), counts.end(), [&](const ShapeCount& c) { return c.shape == shape; });
    if (at == counts.end()) at = counts.insert(at, {shape, 0});
    ++at->tasks;
  }
  return counts;
}

std::int64_t& entry(Request& request, Kind kind) {
  auto at = std::find_if(request.begin(), request.end(), [&](const Amount& a) { return a.kind >= kind; });
  if (at == request.end() || at->kind != kind) at = request.insert(at, {kind, 0});
  return at->units;
}

// Visits all amounts. Shares of GPUs are visited as an amount of GPUs.
template <class Visit>
void for_each_amount(const Shape& shape, Visit visit) {
  for (const Amount& a : shape.request)
    if (a.kind != kGpu) visit(a);
  if (const std::int64_t gpus = shape.gpu_units(); gpus > 0) visit(Amount{kGpu, gpus});
}

// Ignores CPU and memory: the other kinds decide which nodes are candidates at all.
bool request_the_same_kinds(const Shape& a, const Shape& b) {
  const auto has = [](const Shape& shape, Kind kind) {
    return kind == kGpu ? shape.gpu_units() > 0 : amount_of(shape.request, kind) > 0;
  };
  const auto covers = [&](const Shape& x, const Shape& y) {
    return std::all_of(x.request.begin(), x.request.end(),
                       [&](const Amount& m) { return m.kind < kGpu || has(y, m.kind); }) &&
           (x.gpu_units() == 0 || y.gpu_units() > 0);
  };
  return covers(a, b) && covers(b, a);
}

// A sum above 2^62 stays there: no domain has that much.
void add_bounded(std::int64_t& sum, std::int64_t units, std::int64_t tasks) {
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  sum = units > (kMost - sum) / tasks ? kMost : sum + units * tasks;
}

}  // namespace

GroupDemand demand_of(const Cluster& cluster, std::span<const TaskId> tasks) {
  GroupDemand demand{.tasks = static_cast<std::int32_t>(tasks.size()), .is_homogeneous = true};
  const ShapeCounts counts = count_shapes(cluster, tasks);
  for (const ShapeCount& c : counts) {
    const Shape& shape = cluster.shape(c.shape);
    for_each_amount(shape, [&](const Amount& a) {
      std::int64_t& largest = entry(demand.largest, a.kind);
      largest = std::max(largest, a.units);
      if (a.kind != kPods) add_bounded(entry(demand.sum, a.kind), a.units, c.tasks);
    });
    demand.is_homogeneous &= request_the_same_kinds(cluster.shape(counts.front().shape), shape);
  }
  return demand;
}

}  // namespace muster::plugins
