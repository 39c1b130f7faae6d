// Frees devices first, the cheapest ones, then the other resources that are short.
#include "plugins/generators/clearing.hpp"

#include <algorithm>

namespace muster::plugins {

std::optional<Way> Clearing::find(NodeRoom room, const Shape& shape, const Stamps<TaskId>& gone) {
  way_ = {};
  taken_.clear();
  const bool fits = room.missing_devices(shape) == 0 && !room.missing(shape).valid();
  if (fits) return way_;
  work_.on(room.node(), gone, tasks_);
  if (tasks_.empty() || !free_devices(room, shape) || !free_rest(room, shape)) return std::nullopt;
  way_.price = price_of(way_.leave);
  return way_;
}

void Clearing::take(NodeRoom& room, TaskId task) {
  for (TaskId t : work_.with(task)) {
    if (!taken_.insert(t)) continue;
    way_.leave.push_back(t);
    if (cluster_.placement(t).node == room.node()) room.leave(t);
  }
}

Price Clearing::price_of(TaskId task) const {
  return {.work = work_.work_of(task), .tasks = 1, .gpus = cluster_.shape_of(task).gpu_units()};
}

Price Clearing::price_of(std::span<const TaskId> tasks) const {
  Price price;
  for (TaskId t : tasks) price += price_of(t);
  return price;
}

// ---------------------------------------------------------------- devices

bool Clearing::free_devices(NodeRoom& room, const Shape& shape) {
  const std::int64_t missing = room.missing_devices(shape);
  if (missing == 0) return true;
  if (shape.is_shared() && shape.gpu.devices == 1 && free_part(room, shape)) return true;
  return free_whole(room, missing) && room.missing_devices(shape) == 0;
}

Clearing::Option Clearing::sharers_of(GroupId device) const {
  Option option;
  for (TaskId t : tasks_) {
    const auto groups = cluster_.groups(cluster_.placement(t).holding);
    if (std::find(groups.begin(), groups.end(), device) != groups.end()) option.tasks.push_back(t);
  }
  return option;
}

// Records how many whole devices the option would free, and at what price.
void Clearing::add_option(const NodeRoom& room, Option option) {
  NodeRoom after = room;
  seen_.clear();
  for (TaskId task : option.tasks)
    for (TaskId t : work_.with(task)) {
      if (!seen_.insert(t)) continue;
      option.price += price_of(t);
      if (cluster_.placement(t).node == room.node()) after.leave(t);
    }
  option.devices = (after.space(kGpu) - room.space(kGpu)) / kOneGpu;
  if (option.devices > 0) options_.push_back(std::move(option));
}

void Clearing::list_options(const NodeRoom& room) {
  options_.clear();
  for (const NodeRoom::Device& device : room.shared())
    if (device.group.valid()) add_option(room, sharers_of(device.group));
  for (TaskId t : tasks_)
    if (cluster_.shape_of(t).whole_gpus() > 0) add_option(room, {.tasks = {t}});
}

namespace {

Price for_as_many(const Price& price, std::int64_t devices) {
  return {.work = price.work * static_cast<double>(devices),
          .tasks = price.tasks * static_cast<std::size_t>(devices),
          .gpus = price.gpus * devices};
}

}  // namespace

// Takes the cheapest option for each device, then drops those that turn out not to be needed.
bool Clearing::free_whole(NodeRoom& room, std::int64_t missing) {
  list_options(room);
  std::stable_sort(options_.begin(), options_.end(), [](const Option& a, const Option& b) {
    return for_as_many(a.price, b.devices) < for_as_many(b.price, a.devices);
  });
  std::size_t used = 0;
  std::int64_t surplus = -missing;
  while (surplus < 0 && used < options_.size()) surplus += options_[used++].devices;
  if (surplus < 0) return false;
  options_.resize(used);
  for (std::size_t i = used; i-- > 0;)
    if (options_[i].devices <= surplus) {
      surplus -= options_[i].devices;
      options_.erase(options_.begin() + static_cast<std::ptrdiff_t>(i));
    }
  for (const Option& option : options_)
    for (TaskId t : option.tasks) take(room, t);
  return true;
}

// Evicts one task whose share frees enough of its device.
bool Clearing::free_part(NodeRoom& room, const Shape& shape) {
  const Node& node = cluster_.node(room.node());
  const std::int64_t requested = node.memory_of(shape.gpu);
  std::optional<std::pair<Price, TaskId>> best;
  for (const NodeRoom::Device& device : room.shared()) {
    if (!device.group.valid()) continue;
    for (TaskId t : sharers_of(device.group).tasks) {
      if (device.free_mib + node.memory_of(cluster_.shape_of(t).gpu) < requested) continue;
      const Price price = price_of(work_.with(t));
      if (!best || price < best->first) best = {price, t};
    }
  }
  if (!best) return false;
  take(room, best->second);
  return true;
}

// ---------------------------------------------------------------- other resources

// For each resource that is short, evicts the smallest task that suffices, or else the largest first.
bool Clearing::free_rest(NodeRoom& room, const Shape& shape) {
  for (Kind kind = room.missing(shape); kind.valid(); kind = room.missing(shape)) {
    const std::int64_t missing = amount_of(shape.request, kind) - room.space(kind);
    TaskId best;
    std::int64_t gives = 0;
    for (TaskId t : tasks_) {
      const std::int64_t units = taken_.contains(t) ? 0 : amount_of(cluster_.shape_of(t).request, kind);
      const bool is_better = gives < missing ? units > gives : units >= missing && units < gives;
      if (is_better) best = t, gives = units;
    }
    if (!best.valid()) return false;
    take(room, best);
  }
  return true;
}

}  // namespace muster::plugins
