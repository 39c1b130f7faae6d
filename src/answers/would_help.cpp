// Derives candidate changes from the job: its queues, its settings, the nodes that refuse it, and the times
// that rules name. Finds the amount by bisection, then tries all smaller amounts as well, because more of
// something does not always help.
#include "answers/would_help.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "answers/trials.hpp"
#include "engine/cycle/run_cycle.hpp"
#include "model/notation.hpp"
#include "model/selectors.hpp"

namespace muster::answers {
namespace {

// Limits of the search. kMostSteps bounds the number of amounts of one change.
constexpr int kMostSteps = 4096;
constexpr std::size_t kMostNodeKinds = 3;
constexpr std::size_t kMostLabelValues = 8;
constexpr int kMostTimes = 16;
constexpr int kMostAdded = 64;

class Search {
 public:
  Search(const State& state, JobId job, const WaitingJob& waiting, Trials& trials)
      : state_(state), job_(state.cluster.job(job)), id_(job), waiting_(waiting), trials_(trials) {}

  void run() {
    try_times();
    try_job();
    try_nodes();
    try_queues();  // last, because there are many amounts
  }

  std::vector<Help> found;

 private:
  const Cluster& cluster() const { return state_.cluster; }

  bool keep(const Change& change) {
    auto help = trials_.try_out(change);
    if (!help) return false;
    found.push_back(*std::move(help));
    return true;
  }

  // Keeps the change with the fewest steps from 1 to `most` that help. Finds none if `most` steps do not
  // help.
  template <class ChangeAt>
  void keep_fewest(int most, ChangeAt change_at) {
    if (most < 1 || most > kMostSteps) return;
    std::map<int, std::optional<Help>> tried;
    const auto helps = [&](int steps) {
      const auto [at, is_new] = tried.try_emplace(steps);
      if (is_new) at->second = trials_.try_out(change_at(steps));
      return at->second.has_value();
    };
    if (!helps(most)) return;
    int too_few = 0, enough = most;
    while (enough - too_few > 1) {
      const int middle = too_few + (enough - too_few) / 2;
      (helps(middle) ? enough : too_few) = middle;
    }
    for (int steps = enough - 1; steps > 0; --steps)
      if (helps(steps)) enough = steps;
    if (!trials_.is_time_up()) found.push_back(*tried[enough]);
  }

  // ---------------------------------------------------------------- time

  // Tries the times at which protections end, the earliest first. The reasons at one time may name the next.
  void try_times() {
    std::vector<JobReason> reasons = waiting_.reasons;
    std::vector<SearchReport> searches = waiting_.searches;
    TimePoint at = state_.now;
    for (int i = 0; i < kMostTimes && !trials_.is_time_up(); ++i) {
      const auto next = next_time(reasons, searches, at);
      if (!next) return;
      at = *next;
      if (keep({.kind = ChangeKind::kTime, .to = format_time(at)})) return;
      Cluster later = cluster();
      Decisions decided = run_cycle(later, state_.policy, at);
      const auto ours = std::ranges::find(decided.waiting, id_, &WaitingJob::job);
      if (ours == decided.waiting.end()) return;
      reasons = std::move(ours->reasons);
      searches = std::move(ours->searches);
    }
  }

  static std::optional<TimePoint> next_time(const std::vector<JobReason>& reasons,
                                            const std::vector<SearchReport>& searches, TimePoint after) {
    std::optional<TimePoint> next;
    const auto take = [&](const std::optional<TimePoint>& time) {
      if (time && *time > after && *time <= kLastTime && (!next || *time < *next)) next = time;
    };
    for (const JobReason& r : reasons) {
      take(r.until);
      for (const NotEvictableJobs& s : r.spared) take(s.until);
    }
    for (const SearchReport& report : searches)
      for (const NotEvictableJobs& s : report.spared) take(s.until);
    return next;
  }

  // ---------------------------------------------------------------- the job itself

  std::string name() const { return job_.full_name(); }

  void try_job() {
    try_priorities();
    if (!job_.is_preemptible())
      keep({.kind = ChangeKind::kJobPreemptibility, .target = name(), .to = std::string("preemptible")});
    if (job_.sets.size() == 1 && job_.pod_sets.size() == 1 && job_.pod_sets.front().name == "default")
      keep_fewest(job_.pod_sets.front().declared - 1, [&](int fewer) {
        return Change{.kind = ChangeKind::kJobMinimum,
                      .target = name(),
                      .to = static_cast<double>(job_.pod_sets.front().declared - fewer)};
      });
    if (const auto gpus = gpus_per_pod(cluster(), id_); gpus && *gpus > 1)
      keep_fewest(static_cast<int>(std::min<std::int64_t>(*gpus - 1, kMostSteps)), [&, gpus](int fewer) {
        return Change{
            .kind = ChangeKind::kPodSize, .target = name(), .to = static_cast<double>(*gpus - fewer)};
      });
    try_levels();
    try_labels();
  }

  void try_priorities() {
    std::vector<std::pair<std::int32_t, std::string>> higher;
    for (const auto& [name, object] : cluster().kept().all<PriorityClassObject>())
      if (object.value > job_.priority) higher.emplace_back(object.value, name);
    std::ranges::sort(higher);
    for (const auto& [value, to] : higher)
      if (keep({.kind = ChangeKind::kJobPriority, .target = name(), .to = to})) return;
  }

  // Tries the wider levels in order, and finally no level.
  void try_levels() {
    const TopologyConstraint& constraint = job_.sets.front().topology;
    if (constraint.required.empty()) return;
    const TopologyTree* tree = cluster().topology(constraint.topology);
    const auto level = tree == nullptr ? std::nullopt : tree->level(constraint.required);
    if (level)
      for (std::uint32_t wider = *level - 1; wider >= 1; --wider)
        if (keep({.kind = ChangeKind::kTopologyLevel, .target = name(), .to = tree->label(wider)})) return;
    keep({.kind = ChangeKind::kTopologyLevel, .target = name(), .to = std::string()});
  }

  // ---------------------------------------------------------------- labels, tolerations

  TaskId some_task() const {
    for (const PodSet& set : job_.pod_sets)
      for (TaskId t : set.tasks)
        if (cluster().placement(t).status == TaskStatus::kPending) return t;
    return {};
  }

  void try_labels() {
    const TaskId task = some_task();
    if (!task.valid()) return;
    const Constraints& constraints = cluster().shape_of(task).constraints;
    for (const auto& [key, value] : constraints.node_selector) try_label(key, value);
    std::set<std::string> taints;
    for (NodeId n : cluster().nodes_by_name())
      for (const Taint& taint : cluster().node(n).taints)
        if (taint.effect != TaintEffect::kPreferNoSchedule && !is_tolerated(constraints, taint))
          taints.insert(notation(taint));
    for (const std::string& taint : taints)
      keep({.kind = ChangeKind::kToleration, .target = name(), .to = taint});
  }

  static bool is_tolerated(const Constraints& constraints, const Taint& taint) {
    return std::ranges::any_of(constraints.tolerations,
                               [&](const Toleration& t) { return tolerates(t, taint); });
  }

  void try_label(const std::string& key, const std::string& value) {
    const std::string from = key + "=" + value;
    std::set<std::string> others;
    for (NodeId n : cluster().nodes_by_name())
      if (const std::string* has = cluster().node(n).label(key); has != nullptr && *has != value)
        others.insert(*has);
    if (others.size() <= kMostLabelValues)
      for (const std::string& other : others)
        if (keep({.kind = ChangeKind::kNodeLabel, .target = name(), .from = from, .to = key + "=" + other}))
          return;
    keep({.kind = ChangeKind::kNodeLabel, .target = name(), .from = from, .to = std::string()});
  }

  // ---------------------------------------------------------------- queues

  void try_queues() {
    std::set<Accounted> resources{Accounted::kGpus};
    for (const JobReason& r : waiting_.reasons)
      if (r.rule == JobRule::kOverLimit || r.rule == JobRule::kOverQuota) resources.insert(r.resource);
    for (QueueId q = job_.queue; q.valid() && cluster().queue(q).usable; q = cluster().queue(q).parent) {
      for (Accounted r : resources) {
        try_amount(ChangeKind::kQueueQuota, q, r, cluster().queue(q).of(r).quota);
        try_amount(ChangeKind::kQueueLimit, q, r, cluster().queue(q).of(r).limit);
      }
      try_weight(q);
      try_queue_priority(q);
    }
  }

  static double unit_of(Accounted r) {
    return r == Accounted::kCores ? 1000 : r == Accounted::kBytes ? 1e9 : 1;
  }

  // Tries amounts up to the total of the cluster.
  void try_amount(ChangeKind kind, QueueId q, Accounted r, double now) {
    if (now < 0) return;
    const double unit = unit_of(r), from = std::floor(now / unit);
    const double top = std::ceil(cluster().total().share(r) / unit);
    const double steps = std::min<double>(top - from, kMostSteps);
    keep_fewest(static_cast<int>(steps), [&](int more) {
      return Change{.kind = kind, .target = cluster().queue(q).name, .resource = r, .to = from + more};
    });
  }

  // Tries weights up to a hundred times the sum of the siblings' weights.
  void try_weight(QueueId q) {
    const Queue& queue = cluster().queue(q);
    const auto siblings = queue.parent.valid()
                              ? std::span<const QueueId>(cluster().queue(queue.parent).children)
                              : cluster().queue_tree().top();
    if (siblings.size() < 2) return;
    const double from = std::floor(queue.gpu.weight);
    double sum = 1;
    for (QueueId s : siblings) sum += std::max(0.0, cluster().queue(s).gpu.weight);
    keep_fewest(static_cast<int>(std::min<double>(100 * sum, kMostSteps)), [&](int more) {
      return Change{.kind = ChangeKind::kQueueWeight,
                    .target = queue.name,
                    .resource = Accounted::kGpus,
                    .to = from + more};
    });
  }

  // Only the order relative to the siblings matters: above, at or below each priority.
  void try_queue_priority(QueueId q) {
    const Queue& queue = cluster().queue(q);
    const auto siblings = queue.parent.valid()
                              ? std::span<const QueueId>(cluster().queue(queue.parent).children)
                              : cluster().queue_tree().top();
    std::set<std::int64_t> steps;
    for (QueueId s : siblings) {
      const std::int64_t other = cluster().queue(s).priority;
      if (s == q || other < queue.priority) continue;
      if (other > queue.priority) steps.insert(other);
      steps.insert(other + 1);
    }
    for (std::int64_t to : steps)
      if (to <= std::numeric_limits<std::int32_t>::max() &&
          keep({.kind = ChangeKind::kQueuePriority, .target = queue.name, .to = static_cast<double>(to)}))
        return;
  }

  // ---------------------------------------------------------------- nodes

  // One node of each kind that could take a pod of the job if it were empty, the most frequent kind first.
  std::vector<NodeId> node_kinds() const {
    struct KindOfNode {
      NodeId first;
      std::size_t count = 0;
    };
    std::map<std::string, KindOfNode> kinds;
    const TaskId task = some_task();
    if (!task.valid()) return {};
    for (NodeId n : cluster().nodes_by_name()) {
      const Node& node = cluster().node(n);
      if (!node.usable()) continue;
      std::string key;
      for (const Amount& a : node.allocatable)
        key += std::to_string(a.kind.index()) + ":" + std::to_string(a.units) + " ";
      for (const Taint& taint : node.taints) key += notation(taint) + " ";
      for (const auto& [label, value] : cluster().shape_of(task).constraints.node_selector)
        if (const std::string* has = node.label(label)) key += label + "=" + *has + " ";
      KindOfNode& kind = kinds[key];
      if (kind.count++ == 0) kind.first = n;
    }
    std::vector<KindOfNode> list;
    for (const auto& [key, kind] : kinds)
      if (holds_one(kind.first, task)) list.push_back(kind);
    std::ranges::sort(list, [&](const KindOfNode& a, const KindOfNode& b) {
      return a.count != b.count ? a.count > b.count : cluster().rank(a.first) < cluster().rank(b.first);
    });
    std::vector<NodeId> nodes;
    for (const KindOfNode& kind : list)
      if (nodes.size() < kMostNodeKinds) nodes.push_back(kind.first);
    return nodes;
  }

  bool holds_one(NodeId n, TaskId task) const {
    return std::ranges::all_of(cluster().shape_of(task).request, [&](const Amount& a) {
      return a.units <= cluster().allocatable().at(a.kind, n);
    });
  }

  void try_nodes() {
    std::int32_t waiting = 0;
    for (const PodSet& set : job_.pod_sets) waiting += set.counts.of(TaskStatus::kPending);
    const int most = std::clamp(waiting, 1, kMostAdded);
    for (NodeId n : node_kinds())
      keep_fewest(most, [&](int more) {
        return Change{
            .kind = ChangeKind::kAddNodes, .target = cluster().node(n).name, .to = static_cast<double>(more)};
      });
  }

  const State& state_;
  const Job& job_;
  const JobId id_;
  const WaitingJob& waiting_;
  Trials& trials_;
};

}  // namespace

Helps would_help(const State& state, const Outcome& unchanged, const WaitingJob& waiting,
                 const HelpLimits& limits) {
  const JobId job = waiting.job;
  Helps helps{.starts_by_itself = is_at_minimum(unchanged.cluster, job), .cycles = unchanged.settled.cycles};
  if (helps.starts_by_itself) return helps;
  Trials trials(state, unchanged, job, limits);
  Search search(state, job, waiting, trials);
  search.run();
  helps.is_cut = trials.is_time_up();
  helps.changes = std::move(search.found);
  std::ranges::stable_sort(helps.changes, {}, [](const Help& h) {
    return std::tuple(h.evicts.size(), h.delays.size(), static_cast<int>(h.change.kind));
  });
  return helps;
}

}  // namespace muster::answers
