// Replays pods as jobs of one pod each, in one queue without limits, in order of arrival.
#include "replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "engine/cycle/run_cycle.hpp"
#include "generate.hpp"
#include "model/cluster.hpp"
#include "sim/rounds.hpp"

namespace muster::bench::openb {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr const char* kModel = "nvidia.com/gpu.product";

double cpu_milliseconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

// MiB of a device; a round number if the model is anonymized.
const char* gpu_memory_of(const std::string& model) {
  static const std::map<std::string, const char*> known = {
      {"P100", "16384"}, {"T4", "16384"}, {"V100M16", "16384"}, {"V100M32", "32768"}, {"A10", "24576"}};
  const auto at = known.find(model);
  return at == known.end() ? "40000" : at->second;
}

NodeObject node_object(const Machine& m) {
  return {.meta = {.name = m.name,
                   .uid = m.name,
                   .labels = {{"kubernetes.io/hostname", m.name},
                              {"nvidia.com/gpu.count", std::to_string(m.gpus)},
                              {"nvidia.com/gpu.memory", gpu_memory_of(m.model)},
                              {kModel, m.model}}},
          .allocatable = {{"cpu", m.cpu_milli},
                          {"memory", m.memory_mib * kMebi},
                          {"nvidia.com/gpu", m.gpus * kOneGpu},
                          {"pods", 1000}}};
}

PodObject pod_object(const Ask& ask, const std::string& name, TimePoint created) {
  PodObject pod{.meta = {.ns = "openb", .name = name, .uid = name, .created = created},
                .phase = PodPhase::kPending,
                .scheduler = "kai-scheduler",
                .pod_group = name,
                .requests = {{"cpu", ask.cpu_milli}, {"memory", ask.memory_mib * kMebi}}};
  if (ask.is_share()) {
    pod.gpu = {.type = GpuRequestType::kFraction,
               .devices = 1,
               .portion = static_cast<double>(ask.gpu_milli) / 1000};
  } else if (ask.gpus > 0) {
    pod.gpu = {.devices = ask.gpus};
    pod.requests.push_back({"nvidia.com/gpu", ask.gpus * kOneGpu});
  }
  if (!ask.models.empty()) {
    pod.constraints.has_required_affinity = true;
    pod.constraints.required_affinity = {
        {.labels = {{.key = kModel, .op = Operator::kIn, .values = ask.models}}}};
  }
  return pod;
}

class Replay {
 public:
  Replay(const Trace& trace, const std::vector<Ask>& pods, const Policy& policy)
      : pods_(pods), policy_(policy), capacity_(trace.gpu_units()), is_placed_(pods.size()) {
    for (const Machine& m : trace.machines) cluster_.apply(node_object(m));
    const QueueAmounts any{.quota = -1, .limit = -1, .weight = 1};
    for (const char* name : {"all", "pods"})
      cluster_.apply(QueueObject{.meta = {.name = name, .uid = name},
                                 .parent_name = std::string_view(name) == "all" ? "" : "all",
                                 .cpu = any,
                                 .memory = any,
                                 .gpu = any});
  }

  Healing run_healing(const Policy& moving, int cycles) {
    Healing healing;
    for (std::size_t i = 0; i < pods_.size(); ++i) add(i);
    const Decisions packed = run_cycle(cluster_, policy_, at(pods_.size()));
    for (const BindDecision& bind : packed.binds) confirm(bind);
    tell();
    healing.packed = outcome_.at_end;
    const double start = cpu_milliseconds();
    const RoundOptions options{
        .cycles = cycles, .now = at(2 * pods_.size()), .interval = std::chrono::minutes(5)};
    run_rounds(cluster_, moving, options, [&](const Round& round) {
      healing.moves += static_cast<std::int64_t>(round.decisions.evictions.size());
      return true;
    });
    healing.milliseconds = cpu_milliseconds() - start;
    for (std::size_t i = 0; i < pods_.size(); ++i)
      is_placed_[i] = in(cluster_.placement(cluster_.find_task("openb", name_of(i))).status, kActiveUsed);
    tell();
    healing.healed = outcome_.at_end;
    return healing;
  }

  Outcome run(std::size_t batch) {
    for (std::size_t from = 0; from < pods_.size(); from += batch)
      step(from, std::min(pods_.size(), from + batch));
    tell();
    return outcome_;
  }

 private:
  static std::string name_of(std::size_t pod) { return fmt::format("pod-{:07}", pod); }
  std::size_t pod_of(TaskId task) const { return std::stoul(cluster_.task(task).name.substr(4)); }
  TimePoint at(std::size_t pod) const { return now() + std::chrono::seconds(pod); }

  void step(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) add(i);
    const double start = cpu_milliseconds();
    const Decisions decisions = run_cycle(cluster_, policy_, at(to));
    outcome_.milliseconds += cpu_milliseconds() - start;
    for (const BindDecision& bind : decisions.binds) confirm(bind);
    for (std::size_t i = from; i < to; ++i)
      if (!is_placed_[i]) drop(i);
  }

  void add(std::size_t i) {
    const std::string name = name_of(i);
    cluster_.apply(PodGroupObject{.meta = {.ns = "openb", .name = name, .uid = name, .created = at(i)},
                                  .queue = "pods",
                                  .min_member = 1});
    cluster_.apply(pod_object(pods_[i], name, at(i)));
  }

  // Marks the pod as running, as a live cluster would.
  void confirm(const BindDecision& bind) {
    const std::size_t i = pod_of(bind.task);
    PodObject pod = pod_object(pods_[i], name_of(i), at(i));
    pod.phase = PodPhase::kRunning;
    pod.node = cluster_.node(bind.node).name;
    for (GroupId group : cluster_.groups(bind.holding)) pod.gpu_groups.push_back(cluster_.group_name(group));
    cluster_.apply(std::move(pod));
    is_placed_[i] = true;
  }

  void drop(std::size_t i) {
    cluster_.remove("Pod", "openb", name_of(i));
    cluster_.remove("PodGroup", "openb", name_of(i));
  }

  void tell() {
    outcome_.placed = 0;
    outcome_.pods = static_cast<std::int64_t>(pods_.size());
    std::int64_t asked = 0, allocated = 0;
    const auto percent = [&] {
      return 100 * static_cast<double>(allocated) / static_cast<double>(capacity_);
    };
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const bool was_below = asked < capacity_;
      asked += pods_[i].gpu_units();
      if (is_placed_[i]) ++outcome_.placed, allocated += pods_[i].gpu_units();
      if (was_below) outcome_.at_100 = percent();
    }
    outcome_.at_end = percent();
  }

  const std::vector<Ask>& pods_;
  const Policy& policy_;
  const std::int64_t capacity_;
  Cluster cluster_;
  std::vector<bool> is_placed_;
  Outcome outcome_;
};

}  // namespace

Outcome replay(const Trace& trace, const std::vector<Ask>& pods, const Policy& policy, int batch) {
  return Replay(trace, pods, policy).run(batch > 0 ? static_cast<std::size_t>(batch) : pods.size());
}

Healing heal(const Trace& trace, const std::vector<Ask>& pods, const HealingPolicies& policies, int cycles) {
  return Replay(trace, pods, policies.packing).run_healing(policies.moving, cycles);
}

}  // namespace muster::bench::openb
