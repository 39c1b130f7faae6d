// Departments share the GPUs equally; teams have equal or random quotas and random weights.
#include "bench/static_cluster.hpp"

#include <fmt/format.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace muster::bench {
namespace {

constexpr int kGpusPerNode = 8, kDepartments = 4, kTeams = 6;

class Builder {
 public:
  Builder(const StaticShape& shape, unsigned seed) : shape_(shape), random_(seed) {
    add_nodes();
    add_queues();
    for (const auto& [name, value] : {std::pair("low", 25), {"high", 75}})
      cluster_.apply(Object(PriorityClassObject{.meta = {.name = name, .uid = name}, .value = value}));
    if (shape.full) add_running();
    for (int gpus = 0; gpus < shape.load * shape.nodes * kGpusPerNode;) gpus += add_pending();
  }
  Cluster take() { return std::move(cluster_); }

 private:
  int below(int sides) { return static_cast<int>(random_() % static_cast<unsigned>(sides)); }

  void add_nodes() {
    for (int i = 0; i < shape_.nodes; ++i) {
      NodeObject node;
      node.meta = {.name = fmt::format("node-{:03}", i), .uid = fmt::format("node-{:03}", i)};
      node.allocatable = {{"cpu", 128'000},
                          {"memory", std::int64_t{1} << 40},
                          {"nvidia.com/gpu", kGpusPerNode * kOneGpu},
                          {"pods", 110}};
      cluster_.apply(std::move(node));
      free_[fmt::format("node-{:03}", i)] = kGpusPerNode;
    }
  }

  void add_queues() {
    const double gpus = shape_.nodes * kGpusPerNode;
    for (int d = 0; d < kDepartments; ++d) {
      add_queue(fmt::format("dep-{}", d), "", gpus / kDepartments, 1);
      for (int t = 0; t < kTeams; ++t)
        add_queue(fmt::format("team-{}-{}", d, t), fmt::format("dep-{}", d),
                  below(2) == 0 ? gpus / kDepartments / kTeams : below(shape_.nodes), 1 + below(3));
    }
  }
  void add_queue(const std::string& name, const std::string& parent, double quota, double weight) {
    QueueObject queue;
    queue.meta = {.name = name, .uid = name};
    queue.parent_name = parent;
    queue.cpu = queue.memory = {.quota = -1, .limit = -1, .weight = 1};
    queue.gpu = {.quota = quota, .limit = -1, .weight = weight};
    cluster_.apply(Object(std::move(queue)));
  }

  // Gangs on random nodes until a hundred in a row find no place.
  void add_running() {
    for (int failures = 0; failures < 100;) {
      const int pods = 1 + below(8), gpus = 1 << below(4);
      std::map<std::string, int> left = free_;
      std::vector<std::string> nodes;
      for (int p = 0; p < pods; ++p) {
        std::vector<std::string> fitting;
        for (const auto& [name, free] : left)
          if (free >= gpus) fitting.push_back(name);
        if (fitting.empty()) break;
        nodes.push_back(fitting[static_cast<std::size_t>(below(static_cast<int>(fitting.size())))]);
        left[nodes.back()] -= gpus;
      }
      if (std::ssize(nodes) < pods) {
        ++failures;
        continue;
      }
      free_ = left;
      add_gang(pods, gpus, nodes);
    }
  }
  int add_pending() {
    const int pods = 1 + below(8), gpus = 1 + below(8);
    add_gang(pods, gpus, {});
    return pods * gpus;
  }
  void add_gang(int pods, int gpus, const std::vector<std::string>& nodes) {
    const int number = jobs_++;
    const std::string name = fmt::format("job-{:05}", number);
    PodGroupObject group;
    group.meta = {
        .ns = "default",
        .name = name,
        .uid = name,
        .created = static_start() - std::chrono::hours(nodes.empty() ? 1 : 5) + std::chrono::seconds(number)};
    group.queue = fmt::format("team-{}-{}", below(kDepartments), below(kTeams));
    group.min_member = shape_.elastic_in > 0 && below(shape_.elastic_in) == 0 ? 1 + below(pods) : pods;
    if (below(4) == 0) group.priority_class = below(2) == 0 ? "high" : "low";
    if (!nodes.empty()) group.last_start = group.meta.created;
    cluster_.apply(Object(std::move(group)));
    for (int p = 0; p < pods; ++p) {
      PodObject pod;
      pod.meta.ns = "default";
      pod.meta.name = pod.meta.uid = fmt::format("{}-{}", name, p);
      pod.meta.created = static_start() - std::chrono::hours(1) + std::chrono::seconds(number);
      pod.phase = nodes.empty() ? PodPhase::kPending : PodPhase::kRunning;
      if (!nodes.empty()) pod.node = nodes[static_cast<std::size_t>(p)];
      pod.scheduler = "kai-scheduler";
      pod.pod_group = name;
      pod.requests = {{"cpu", 1000}, {"nvidia.com/gpu", gpus * kOneGpu}};
      pod.gpu.devices = gpus;
      cluster_.apply(Object(std::move(pod)));
    }
  }

  const StaticShape shape_;
  std::mt19937 random_;
  Cluster cluster_;
  std::map<std::string, int> free_;
  int jobs_ = 0;
};

}  // namespace

TimePoint static_start() { return *parse_time("2025-06-01T12:00:00Z"); }

Cluster make_static_cluster(const StaticShape& shape, unsigned seed) { return Builder(shape, seed).take(); }

}  // namespace muster::bench
