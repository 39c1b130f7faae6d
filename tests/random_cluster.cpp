// Turns numbers into objects.
#include "tests/random_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>

#include "tests/sums_text.hpp"

namespace muster {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kGiga = 1'000'000'000;
constexpr const char* kTaint = "reserved";

// Few distinct times, so that ties occur.
TimePoint some_time(Dice& dice) { return random_cluster_now() - minutes(10 * (1 + dice.roll(3))); }

NodeObject node_object(std::size_t i, Dice dice) {
  const std::int64_t gpus = dice.pick<std::int64_t>({8, 4, 2, 1, 0, 8});
  const int gpu_memory = dice.pick({0, 1000, 2000, 1000});
  NodeObject node{.meta = {.name = fmt::format("n{}", i)}};
  node.meta.labels = {{"zone", dice.pick({"a", "b"})}, {"host", node.meta.name}};
  if (!dice.once_in(9)) node.meta.labels.emplace_back("rack", dice.pick({"r0", "r1"}));
  if (gpu_memory > 0) node.meta.labels.emplace_back("nvidia.com/gpu.memory", std::to_string(gpu_memory));
  node.allocatable = {{"cpu", dice.pick<std::int64_t>({64'000, 16'000, 4'000})},
                      {"memory", dice.pick<std::int64_t>({64, 16}) * kGiga},
                      {"nvidia.com/gpu", gpus * kOneGpu},
                      {"pods", dice.pick<std::int64_t>({110, 110, 6})}};
  if (dice.once_in(7)) node.taints = {{.key = kTaint, .value = "yes"}};
  node.conditions.unschedulable = dice.once_in(8);
  node.conditions.not_ready = dice.once_in(12);
  return node;
}

// ---------------------------------------------------------------- queues

struct DrawnQueues {
  std::vector<QueueObject> queues;
  std::vector<std::string> leaves;
};

QueueObject queue_object(std::size_t i, Dice& dice) {
  QueueObject queue{.meta = {.name = fmt::format("q{}", i), .uid = fmt::format("q{}", i)}};
  queue.gpu = {.quota = dice.pick<double>({2, 0, 1, 4, -1, 2.5}),
               .limit = dice.pick<double>({-1, -1, 8, 4, 2, -1}),
               .weight = dice.pick<double>({1, 0, 2, 3})};
  queue.cpu = {.quota = dice.pick<double>({-1, -1, 8'000}),
               .limit = dice.pick<double>({-1, -1, -1, 16'000}),
               .weight = 1};
  queue.memory = {.quota = -1, .limit = dice.pick<double>({-1, -1, -1, 32e9}), .weight = 1};
  queue.priority = dice.pick({100, 100, 50, 200});
  queue.meta.created = some_time(dice);
  return queue;
}

DrawnQueues queue_tree(const std::vector<std::uint64_t>& numbers) {
  DrawnQueues tree;
  std::vector<int> depths;
  std::set<std::string> parents;
  for (std::size_t i = 0; i <= numbers.size(); ++i) {
    Dice dice(i == 0 ? 0 : numbers[i - 1]);
    const auto above = static_cast<std::size_t>(dice.roll(static_cast<int>(i) + 1));
    QueueObject queue = queue_object(i, dice);
    const bool hangs = above > 0 && depths[above - 1] < 2;
    if (hangs) queue.parent_name = tree.queues[above - 1].meta.name;
    depths.push_back(hangs ? depths[above - 1] + 1 : 0);
    parents.insert(queue.parent_name);
    tree.queues.push_back(std::move(queue));
  }
  for (const QueueObject& q : tree.queues)
    if (!parents.contains(q.meta.name)) tree.leaves.push_back(q.meta.name);
  return tree;
}

// ---------------------------------------------------------------- nodes of running pods

// What is left on the nodes, so that pods are only put where they fit.
class Room {
 public:
  explicit Room(const std::vector<NodeObject>& nodes) {
    for (const NodeObject& node : nodes) {
      Left left{.name = node.meta.name};
      for (const NamedAmount& a : node.allocatable) left.amounts[a.name] = a.units;
      for (const auto& [key, value] : node.meta.labels)
        if (key == "nvidia.com/gpu.memory") left.gpu_memory = std::stoll(value);
      left_.push_back(std::move(left));
    }
  }

  // The first node that accepts the pod, searching from `start`.
  bool place(PodObject& pod, int start) {
    for (std::size_t i = 0; i < left_.size(); ++i)
      if (place_on(left_[(static_cast<std::size_t>(start) + i) % left_.size()], pod)) return true;
    return false;
  }

 private:
  struct Left {
    std::string name;
    std::map<std::string, std::int64_t> amounts;
    std::int64_t gpu_memory = 100;
    int shared = 0;
  };

  static bool place_on(Left& left, PodObject& pod) {
    std::vector<NamedAmount> needs = pod.requests;
    needs.push_back({"pods", 1});
    const bool is_shared = pod.gpu.type != GpuRequestType::kRegular;
    if (is_shared) needs.push_back({"nvidia.com/gpu", pod.gpu.devices * kOneGpu});
    if (is_shared && pod.gpu.memory_mib > left.gpu_memory) return false;
    for (const NamedAmount& a : needs)
      if (left.amounts[a.name] < a.units) return false;
    for (const NamedAmount& a : needs) left.amounts[a.name] -= a.units;
    for (int i = 0; is_shared && i < pod.gpu.devices; ++i)
      pod.gpu_groups.push_back(fmt::format("{}-g{}", left.name, left.shared++));
    pod.node = left.name;
    return true;
  }

  std::vector<Left> left_;
};

// ---------------------------------------------------------------- jobs

void give_amounts(PodObject& pod, Dice& dice) {
  const std::int64_t cpu = dice.pick<std::int64_t>({0, 1'000, 2'000});
  if (cpu > 0) pod.requests.push_back({"cpu", cpu});
  if (const int memory = dice.roll(3); memory > 0) pod.requests.push_back({"memory", memory * kGiga});
  switch (dice.roll(8)) {
    case 5:
      pod.gpu = {.type = GpuRequestType::kFraction,
                 .devices = dice.pick({1, 1, 2}),
                 .portion = dice.pick({0.5, 0.3, 0.7})};
      break;
    case 6:
      pod.gpu = {.type = GpuRequestType::kGpuMemory,
                 .devices = dice.pick({1, 1, 2}),
                 .memory_mib = dice.pick<std::int64_t>({500, 300, 1500})};
      break;
    case 7:  // CPU only
      pod.requests.push_back({"example.com/thing", 0});
      break;
    default:
      pod.gpu.devices = dice.pick({1, 1, 2, 4});
      pod.requests.push_back({"nvidia.com/gpu", pod.gpu.devices * kOneGpu});
  }
  std::erase_if(pod.requests, [](const NamedAmount& a) { return a.units == 0; });
}

void give_constraints(PodObject& pod, Dice& dice, std::size_t nodes) {
  if (dice.once_in(5)) pod.constraints.tolerations = {{.key = kTaint, .exists = true}};
  if (dice.once_in(8)) pod.constraints.node_selector = {{"zone", dice.pick({"a", "b"})}};
  if (dice.once_in(12)) pod.constraints.host_ports = {{"0.0.0.0", "TCP", 80}};
  if (dice.once_in(12) && nodes > 0)
    pod.nominated_node = fmt::format("n{}", dice.roll(static_cast<int>(nodes)));
}

// Usually none; some request what does not exist.
TopologyConstraint some_topology(Dice& dice) {
  if (dice.roll(3) != 2) return {};
  return {dice.once_in(12) ? "gone" : "net", dice.pick({"", "rack", "zone", "", "host"}),
          dice.pick({"", "rack", "zone", "host", "host"})};
}

// The leaves of the job with their numbers of tasks.
std::vector<std::pair<std::string, int>> give_groups(PodGroupObject& group, Dice& dice) {
  if (!dice.once_in(5)) {
    const int tasks = 1 + dice.roll(4);
    group.min_member = tasks - dice.roll(tasks);
    return {{"", tasks}};
  }
  std::vector<std::pair<std::string, int>> leaves;
  const bool nested = dice.roll(2) == 1;
  if (nested) group.sub_groups.push_back({.name = "set", .topology = some_topology(dice)});
  for (int i = 0, count = 2 + dice.roll(2); i < count; ++i) {
    SubGroupObject leaf{.name = fmt::format("s{}", i), .parent = nested && i > 0 ? "set" : ""};
    leaf.min_member = dice.roll(3);
    leaf.topology = some_topology(dice);
    leaves.emplace_back(leaf.name, std::max(*leaf.min_member, 1) + dice.roll(2));
    group.sub_groups.push_back(std::move(leaf));
  }
  if (dice.roll(3) == 2) group.min_sub_group = dice.roll(3);
  return leaves;
}

class JobMaker {
 public:
  JobMaker(Room& room, const std::vector<std::string>& leaves, std::size_t nodes, std::vector<Object>& out)
      : room_(room), leaves_(leaves), nodes_(nodes), out_(out) {}

  void make(std::size_t i, Dice dice) {
    const std::string name = fmt::format("j{}", i);
    PodGroupObject group{.meta = {.ns = "ns", .name = name, .uid = name, .created = some_time(dice)}};
    group.queue = leaves_[static_cast<std::size_t>(dice.roll(static_cast<int>(leaves_.size())))];
    group.priority_class = dice.pick({"p50", "p50", "p75", "p100", "p125"});
    group.preemptibility = dice.pick({"", "", "preemptible", "non-preemptible"});
    group.topology = some_topology(dice);
    const auto leaves = give_groups(group, dice);
    PodObject pattern{.meta = {.ns = "ns", .created = group.meta.created}};
    pattern.scheduler = "kai-scheduler";
    pattern.pod_group = name;
    give_amounts(pattern, dice);
    give_constraints(pattern, dice, nodes_);
    const State state{dice.pick({false, true}), dice.once_in(6), dice.once_in(9), dice.roll(8)};
    int number = 0;
    for (const auto& [leaf, tasks] : leaves)
      for (int k = 0; k < tasks; ++k, ++number) {
        PodObject pod = pattern;
        pod.meta.name = pod.meta.uid = fmt::format("{}-{}", name, number);
        pod.sub_group = leaf;
        give_state(pod, state, number);
        out_.push_back(std::move(pod));
      }
    out_.push_back(std::move(group));
  }

 private:
  struct State {
    bool runs = false, ends = false, waits_for_gate = false;
    int start = 0;  // the first node to try
  };

  // The first pods of a job run, as far as they fit; every other pod of an ending job is terminating.
  void give_state(PodObject& pod, const State& state, int number) {
    pod.phase = PodPhase::kPending;
    pod.gated = state.waits_for_gate && number % 2 == 1;
    if (!state.runs || number >= 3 || !room_.place(pod, state.start)) return;
    pod.phase = PodPhase::kRunning;
    pod.gated = false;
    if (state.ends && number % 2 == 0)
      pod.deletion = random_cluster_now() - seconds(100 * (1 + state.start % 2));
  }

  Room& room_;
  const std::vector<std::string>& leaves_;
  const std::size_t nodes_;
  std::vector<Object>& out_;
};

void add_foreign(std::size_t i, Dice dice, Room& room, std::vector<Object>& out) {
  PodObject pod{.meta = {.ns = "other", .name = fmt::format("f{}", i), .uid = fmt::format("f{}", i)}};
  pod.phase = PodPhase::kRunning;
  pod.scheduler = "default-scheduler";
  pod.requests = {{"cpu", 1'000}};
  if (dice.once_in(3)) pod.requests.push_back({"nvidia.com/gpu", kOneGpu});
  if (room.place(pod, dice.roll(8))) out.push_back(std::move(pod));
}

}  // namespace

TimePoint random_cluster_now() {
  using namespace std::chrono;
  return sys_days(2025y / June / 1) + 12h;
}

TopologyObject random_cluster_topology() {
  return {.meta = {.name = "net"}, .levels = {{"zone", ""}, {"rack", ""}, {"host", ""}}};
}

std::vector<Object> objects_of(const RandomCluster& random) {
  std::vector<Object> objects = {random_cluster_topology()};
  std::vector<NodeObject> nodes;
  for (std::size_t i = 0; i < random.nodes.size(); ++i)
    nodes.push_back(node_object(i, Dice(random.nodes[i])));
  objects.insert(objects.end(), nodes.begin(), nodes.end());
  for (int value : {50, 75, 100, 125})
    objects.push_back(PriorityClassObject{.meta = {.name = fmt::format("p{}", value)}, .value = value});
  const DrawnQueues tree = queue_tree(random.queues);
  objects.insert(objects.end(), tree.queues.begin(), tree.queues.end());
  Room room(nodes);
  for (std::size_t i = 0; i < random.foreign.size(); ++i)
    add_foreign(i, Dice(random.foreign[i]), room, objects);
  JobMaker jobs(room, tree.leaves, nodes.size(), objects);
  for (std::size_t i = 0; i < random.jobs.size(); ++i) jobs.make(i, Dice(random.jobs[i]));
  return objects;
}

Cluster cluster_of(const std::vector<Object>& objects) {
  Cluster cluster;
  for (const Object& object : objects) cluster.apply(Object(object));
  return cluster;
}

std::ostream& operator<<(std::ostream& out, const RandomCluster& random) {
  Cluster cluster = cluster_of(objects_of(random));
  cluster.refresh(random_cluster_now());
  return out << fmt::format("\n{{{{{}}}, {{{}}}, {{{}}}, {{{}}}}}\n", fmt::join(random.nodes, ", "),
                            fmt::join(random.queues, ", "), fmt::join(random.jobs, ", "),
                            fmt::join(random.foreign, ", "))
             << sums_text(cluster);
}

}  // namespace muster
