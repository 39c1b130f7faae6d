// Measures the speed of simulated time: a load of jobs over several days, generated as they arrive.
//
//   muster_bench_week [nodes] [jobs] [days] [load in percent]
#include <fmt/format.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdlib>

#include "policy/policy.hpp"
#include "report/run_figures.hpp"
#include "sim/clock.hpp"

namespace muster {
namespace {

constexpr int kGpusPerNode = 8, kQueues = 8;
const TimePoint kStart = *parse_time("2025-06-01T00:00:00Z");

struct Load {
  std::int64_t nodes = 500, jobs = 10'000;
  double days = 1, percent = 95;
};

// Gangs of 1 to 32 GPUs, in pods of up to 8, with heavy-tailed durations. Their rate gives the requested
// load.
class Jobs final : public Arrivals {
 public:
  explicit Jobs(const Load& load) : load_(load) {
    double gpu_shares = 0;
    for (std::int64_t i = 0; i < load.jobs; ++i) gpu_shares += static_cast<double>(gpus_of(i)) * weight_of(i);
    const double gpu_seconds =
        static_cast<double>(load.nodes * kGpusPerNode) * load.days * 86'400 * load.percent / 100;
    seconds_ = gpu_seconds / gpu_shares;
  }

  std::optional<TimePoint> next() const override {
    if (next_ == load_.jobs) return std::nullopt;
    const double part = static_cast<double>(next_) / static_cast<double>(load_.jobs);
    return kStart + Duration(static_cast<std::int64_t>(part * load_.days * 86'400e9));
  }
  std::vector<Object> take() override {
    const TimePoint now = *next();
    const std::int64_t i = next_++;
    const std::string name = fmt::format("job-{:06}", i);
    const std::int64_t gpus = gpus_of(i), pods = std::max<std::int64_t>(1, gpus / kGpusPerNode);
    PodGroupObject group;
    group.meta = {.ns = "default", .name = name, .uid = "default/" + name, .created = now};
    group.queue = fmt::format("queue-{}", random_bits(2, name, "queue") % kQueues);
    group.min_member = static_cast<std::int32_t>(pods);
    group.work.duration =
        RunTime{.first = Duration(static_cast<std::int64_t>(seconds_ * weight_of(i) * 1e9))};
    std::vector<Object> objects{std::move(group)};
    for (std::int64_t p = 0; p < pods; ++p) {
      PodObject pod;
      pod.meta.ns = "default";
      pod.meta.name = fmt::format("{}-{}", name, p);
      pod.meta.uid = pod.meta.name;
      pod.meta.created = now;
      pod.phase = PodPhase::kPending;
      pod.scheduler = "kai-scheduler";
      pod.pod_group = name;
      pod.requests = {{"cpu", 1000}, {"nvidia.com/gpu", gpus / pods * kOneGpu}};
      pod.gpu.devices = static_cast<std::int32_t>(gpus / pods);
      objects.push_back(std::move(pod));
    }
    return objects;
  }

 private:
  static std::int64_t gpus_of(std::int64_t i) {
    constexpr std::int64_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 8, 8, 16, 32};
    return sizes[random_bits(1, std::to_string(i), "size") % std::size(sizes)];
  }
  static double weight_of(std::int64_t i) {
    const RunTime law{RunTime::Law::kLognormal, std::chrono::hours(1), std::chrono::hours(4)};
    return std::min(12.0, seconds_of(law.draw(3, std::to_string(i))) / 3600);
  }

  const Load load_;
  double seconds_ = 0;
  std::int64_t next_ = 0;
};

void add_cluster(const Load& load, Cluster& cluster, Agenda& agenda) {
  for (std::int64_t i = 0; i < load.nodes; ++i) {
    NodeObject node;
    node.meta = {.name = fmt::format("node-{:05}", i), .uid = fmt::format("node-{:05}", i)};
    node.allocatable = {{"cpu", 128'000},
                        {"memory", std::int64_t{1} << 40},
                        {"nvidia.com/gpu", kGpusPerNode * kOneGpu},
                        {"pods", 110}};
    agenda.nodes[node.meta.name] = node;
    cluster.apply(std::move(node));
  }
  for (int q = 0; q < kQueues; ++q) {
    QueueObject queue;
    queue.meta = {.name = fmt::format("queue-{}", q), .uid = fmt::format("queue-{}", q)};
    queue.cpu = queue.memory = {.quota = -1, .limit = -1, .weight = 1};
    queue.gpu = {.quota = static_cast<double>(load.nodes) * kGpusPerNode / kQueues, .limit = -1, .weight = 1};
    queue.reclaim_min_runtime = queue.preempt_min_runtime = std::chrono::minutes(10);
    cluster.apply(Object(std::move(queue)));
  }
}

int run(const Load& load) {
  std::vector<Error> errors;
  const Config config;
  Cluster cluster(policy::cluster_options(config.params));
  Policy policy = policy::make_policy(config, errors);
  Agenda agenda;
  add_cluster(load, cluster, agenda);
  agenda.arrivals.push_back(std::make_unique<Jobs>(load));
  const auto end = kStart + Duration(static_cast<std::int64_t>(load.days * 86'400e9));
  const RunOutcome outcome = run_clock(cluster, policy, std::move(agenda), nullptr,
                                       {.timed = {.from = kStart, .end = end, .seed = 1}}, {});
  const report::RunFigures figures = report::figures_of(outcome);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  fmt::print(
      "{} nodes, {} jobs, {} days at {} %: {:.2f} s, {} cycles, {} finished, utilisation {:.3f}, wait p50 "
      "{:.0f} s "
      "p95 {:.0f} s, {} evicted, {} MB\n",
      load.nodes, load.jobs, load.days, load.percent, outcome.wall_seconds, outcome.cycles,
      figures.all.finished, outcome.utilisation(), figures.all.wait_seconds->p50,
      figures.all.wait_seconds->p95, figures.all.evicted_pods(), used.ru_maxrss / 1024);
  return 0;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  muster::Load load;
  if (argc > 1) load.nodes = std::atoll(argv[1]);
  if (argc > 2) load.jobs = std::atoll(argv[2]);
  if (argc > 3) load.days = std::atof(argv[3]);
  if (argc > 4) load.percent = std::atof(argv[4]);
  return muster::run(load);
}
