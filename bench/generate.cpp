// Generates clusters.
#include "generate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace muster::bench {
namespace {

using std::chrono::seconds;

constexpr std::int64_t kMega = 1'000'000;
constexpr const char* kTrain = "train";
constexpr const char* kUrgent = "urgent";

QueueObject queue_object(std::string name, std::string parent, double gpus, double weight, int index) {
  constexpr QueueAmounts kAny{.quota = -1, .limit = -1, .weight = 1};
  return {.meta = {.name = name, .uid = name, .created = now() - seconds(86'400 - index)},
          .parent_name = std::move(parent),
          .cpu = kAny,
          .memory = kAny,
          .gpu = {.quota = gpus, .limit = -1, .weight = weight}};
}

struct JobShape {
  std::string name, queue;
  int pods = 1, gpus = 1;
  double fraction = 0;
  TopologyConstraint topology = {};
  int age = 0;  // in seconds
  int node = -1;
  std::string priority_class = kTrain;
  bool is_overdue = false, is_pinned = false;
};

GpuRequest share_of(double fraction) {
  return {.type = GpuRequestType::kFraction, .devices = 1, .portion = fraction};
}

std::vector<NamedAmount> amounts_of(const JobShape& job) {
  std::vector<NamedAmount> amounts = {{"cpu", 1'000}, {"memory", 1'000 * kMega}};
  if (job.fraction == 0) amounts.push_back({"nvidia.com/gpu", job.gpus * kOneGpu});
  return amounts;
}

PodObject pod_object(const JobShape& job, int index) {
  const std::string name = fmt::format("{}-{}", job.name, index);
  const bool runs = job.node >= 0;
  return {.meta = {.ns = "bench", .name = name, .uid = name, .created = now() - seconds(job.age)},
          .phase = runs ? PodPhase::kRunning : PodPhase::kPending,
          .scheduler = "kai-scheduler",
          .node = runs ? fmt::format("node-{}", job.node) : "",
          .pod_group = job.name,
          .requests = amounts_of(job),
          .gpu = job.fraction > 0 ? share_of(job.fraction) : GpuRequest{.devices = job.gpus}};
}

class Generator {
 public:
  Generator(const ClusterShape& shape, const ObjectSink& sink) : shape_(shape), sink_(sink) {}

  void run() {
    sink_(PriorityClassObject{.meta = {.name = kTrain}, .value = 50});
    sink_(PriorityClassObject{.meta = {.name = kUrgent}, .value = 75});
    for (int i = 0; i < shape_.nodes; ++i) sink_(node_object(i));
    if (shape_.racks > 0)
      sink_(TopologyObject{.meta = {.name = "net"}, .levels = {{"zone", ""}, {"rack", ""}, {"host", ""}}});
    add_queues();
    for (int i = 0; i < shape_.nodes * shape_.foreign; ++i) sink_(foreign_pod(shape_, i));
    for (int i = 0; i < shape_.running; ++i)
      add_job({.name = fmt::format("running-{}", i),
               .queue = queue_of(i, 0),
               .age = 172'800 - i,
               .node = i % shape_.nodes,
               .is_overdue = is_overdue(i),
               .is_pinned = i < shape_.pinned});
    for (int i = 0; i < shape_.pending; ++i)
      add_job({.name = fmt::format("pending-{}", i),
               .queue = queue_of(i, 1),
               .pods = shape_.pending_pods,
               .gpus = i < shape_.pending_large ? shape_.gpus : shape_.pending_gpus,
               .fraction = shape_.pending_fraction,
               .topology = topology_of(i),
               .age = 86'400 - i,
               .priority_class = shape_.pending_outranks ? kUrgent : kTrain});
  }

 private:
  std::string queue_of(int job, int side) const {
    return fmt::format("queue-{}", shape_.contest ? side : job % shape_.queues);
  }

  // Marks equally many jobs of each queue.
  bool is_overdue(int job) const {
    const auto overdue_up_to = [&](int turn) { return std::int64_t{turn} * shape_.overdue / shape_.running; };
    const int turn = job / shape_.queues;
    return overdue_up_to(turn + 1) != overdue_up_to(turn);
  }

  TopologyConstraint topology_of(int job) const {
    if (shape_.topologies.empty()) return {};
    return shape_.topologies[static_cast<std::size_t>(job) % shape_.topologies.size()];
  }

  // Fills racks one after another. There are as many zones as racks in a zone.
  Labels labels_of(int i, const std::string& name) const {
    Labels labels = {{"kubernetes.io/hostname", name},
                     {"nvidia.com/gpu.count", std::to_string(shape_.gpus)},
                     {"nvidia.com/gpu.memory", "80000"}};
    if (shape_.racks == 0) return labels;
    const int rack = i * shape_.racks / shape_.nodes;
    const auto zones = static_cast<int>(std::lround(std::sqrt(shape_.racks)));
    labels.insert(labels.end(), {{"host", name},
                                 {"rack", fmt::format("rack-{}", rack)},
                                 {"zone", fmt::format("zone-{}", rack * zones / shape_.racks)}});
    return labels;
  }

  NodeObject node_object(int i) const {
    const std::string name = fmt::format("node-{}", i);
    return {.meta = {.name = name, .uid = name, .labels = labels_of(i, name)},
            .allocatable = {{"cpu", 128'000},
                            {"memory", 1'000'000 * kMega},
                            {"nvidia.com/gpu", shape_.gpus * kOneGpu},
                            {"pods", 110}}};
  }

  void add_contest(const Contest& contest) {
    sink_(queue_object("default", "", -1, -1, 0));
    sink_(queue_object("queue-0", "default", contest.running_quota, 0, 10));
    sink_(queue_object("queue-1", "default", contest.pending_quota, 0, 11));
  }

  void add_queues() {
    if (shape_.contest) return add_contest(*shape_.contest);
    const double total = shape_.nodes * shape_.gpus;
    for (int d = 0; d < shape_.departments; ++d)
      sink_(queue_object(fmt::format("dept-{}", d), "", total / shape_.departments,
                         total / shape_.departments, d));
    for (int i = 0; i < shape_.queues; ++i)
      sink_(queue_object(fmt::format("queue-{}", i),
                         fmt::format("dept-{}", i * shape_.departments / shape_.queues),
                         total / shape_.queues, 1, 10 + i));
  }

  void add_job(const JobShape& job) {
    PodGroupObject group{
        .meta = {.ns = "bench", .name = job.name, .uid = job.name, .created = now() - seconds(job.age)},
        .queue = job.queue,
        .priority_class = job.priority_class,
        .min_member = job.pods,
        .topology = job.topology};
    if (job.node >= 0) group.last_start = now() - seconds(3'600);
    if (job.is_overdue) group.expected_runtime = "30m";
    if (job.is_pinned) group.preemptibility = "non-preemptible";
    sink_(std::move(group));
    for (int i = 0; i < job.pods; ++i) sink_(pod_object(job, i));
  }

  const ClusterShape& shape_;
  const ObjectSink& sink_;
};

}  // namespace

TimePoint now() {
  using namespace std::chrono;
  return sys_days(2025y / June / 1) + 12h;
}

PodObject foreign_pod(const ClusterShape& shape, int index) {
  const std::string name = fmt::format("foreign-{}", index);
  return {.meta = {.ns = "other", .name = name, .uid = name, .created = now() - seconds(200'000)},
          .phase = PodPhase::kRunning,
          .scheduler = "default-scheduler",
          .node = fmt::format("node-{}", index % shape.nodes),
          .requests = {{"cpu", 100}, {"memory", 100 * kMega}}};
}

void generate(const ClusterShape& shape, const ObjectSink& sink) { Generator(shape, sink).run(); }

Cluster make_cluster(const ClusterShape& shape) {
  Cluster cluster;
  generate(shape, [&](Object&& object) { cluster.apply(std::move(object)); });
  return cluster;
}

}  // namespace muster::bench
