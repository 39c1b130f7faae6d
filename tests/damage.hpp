// Turns valid objects into invalid ones, for tests of what holds even then.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/random_cluster.hpp"

namespace muster {

// Damages one object. Objects that no source would accept are left out.
struct Damage {
  Dice dice;

  std::string some_name() {
    return dice.pick({"", "q0", "q1", "q2", "n0", "n1", "ghost", "j0", "j1", "g0", "../x"});
  }
  std::int64_t some_amount() {
    return dice.pick<std::int64_t>({0, 1, 999, 1000, 1'000'000'000, 100'000'000'000'000'000});
  }
  std::optional<std::int32_t> some_count() { return dice.pick<std::int32_t>({0, 1, 2, 1000, INT32_MAX}); }

  void bend(QueueObject& queue) {
    queue.parent_name = some_name();
    if (dice.once_in(2)) queue.gpu = {.quota = 1e300, .limit = dice.pick({-1.0, 0.0, 1e-300}), .weight = 0};
    if (dice.once_in(2)) queue.expected_runtime = dice.pick({"1s", "x", "-1s", "999999h"});
    if (dice.once_in(2)) queue.requeue_delay = dice.pick({"1s", "x", "-1s", "999999h"});
  }
  void bend(NodeObject& node) {
    for (NamedAmount& amount : node.allocatable)
      if (dice.once_in(3)) amount.units = some_amount();
    if (dice.once_in(3))
      node.meta.labels = {{"nvidia.com/gpu.memory", dice.pick({"", "-1", "99999999999999999", "1"})}};
    if (dice.once_in(3)) node.allocatable.push_back({"example.com/x", some_amount()});
  }
  void bend(PodGroupObject& group) {
    if (dice.once_in(3)) group.queue = some_name();
    if (dice.once_in(3)) group.min_member = some_count();
    if (dice.once_in(3)) group.min_sub_group = some_count();
    if (dice.once_in(3)) group.preemptibility = dice.pick({"semi-preemptible", "x", "non-preemptible"});
    if (dice.once_in(3)) group.expected_runtime = dice.pick({"1s", "x", "0"});
    for (int i = dice.roll(4); i > 0; --i)
      group.sub_groups.push_back({.name = some_name(), .parent = some_name(), .min_member = some_count()});
  }
  void bend(PodObject& pod) {
    if (dice.once_in(3)) pod.node = some_name();
    if (dice.once_in(3)) pod.phase = static_cast<PodPhase>(dice.roll(5));
    if (dice.once_in(3)) pod.pod_group = some_name();
    if (dice.once_in(3)) pod.sub_group = some_name();
    if (dice.once_in(4))
      pod.requests.push_back({dice.pick({"example.com/x", "example.com/y"}), some_amount()});
    if (dice.once_in(4)) pod.gpu_groups = {some_name(), some_name()};
    if (dice.once_in(4)) pod.nominated_node = some_name();
    if (dice.once_in(4)) pod.deletion = random_cluster_now() - std::chrono::hours(dice.pick({-1, 0, 100}));
    if (dice.once_in(4)) pod.meta.uid = "";
  }
  void bend(TopologyObject& topology) {
    topology.levels.push_back({.label = some_name(), .alias = some_name()});
  }
  template <class T>
  void bend(T&) {}
};

inline std::vector<Object> damaged(std::vector<Object> objects, const std::vector<std::uint64_t>& numbers) {
  if (objects.empty()) return objects;
  for (const std::uint64_t number : numbers) {
    Damage damage{Dice(number / 64)};
    std::visit([&](auto& object) { damage.bend(object); }, objects[number % 64 % objects.size()]);
  }
  return objects;
}

}  // namespace muster
