// Turns the constraint of each group into a search over domains, and its preferences into node scores.
#include "plugins/topology/topology.hpp"

#include <algorithm>
#include <variant>

#include "engine/cycle/session.hpp"
#include "plugins/topology/search.hpp"

namespace muster::plugins {
namespace {

const TopologyConstraint& constraint_of(const Job& job, const Member& group) {
  return group.is_pod_set ? job.pod_sets[group.at].topology : job.sets[group.at].topology;
}

const std::string& name_of(const Job& job, const Member& group) {
  static const std::string no_name;
  if (!group.is_pod_set) return job.sets[group.at].name;
  return job.pod_sets.size() > 1 ? job.pod_sets[group.at].name : no_name;
}

// A constraint that no node can meet, because it names something that does not exist.
class NoSets final : public NodeSets {
 public:
  void start(JobReason why) { why_ = std::move(why); }
  const Bitmap* next() override { return nullptr; }
  const std::string& place() const override { return why_.domain; }
  JobReason refusal() const override { return why_; }

 private:
  JobReason why_;
};

// The constraint as levels of its topology, or its error.
std::variant<TopologyLevels, JobReason> levels_of(const TopologyConstraint& constraint,
                                                  const TopologyTree* tree) {
  if (tree == nullptr) return JobReason{.rule = JobRule::kTopologyMissing, .name = constraint.topology};
  const auto wrong = [&](const std::string& level) {
    return JobReason{.rule = JobRule::kTopologyLevel, .name = constraint.topology, .level = level};
  };
  TopologyLevels levels;
  if (!constraint.required.empty()) {
    const auto required = tree->level(constraint.required);
    if (!required) return wrong(constraint.required);
    levels.required = *required;
  }
  levels.preferred = tree->level(constraint.preferred);
  const bool is_unknown = !constraint.preferred.empty() && !levels.preferred;
  if (is_unknown || (levels.preferred && *levels.preferred < levels.required))
    return wrong(constraint.preferred);
  if (levels.finest() == 0) return wrong("");
  return levels;
}

class Topology final : public Plugin {
 public:
  void open(Session& session, Hooks& hooks) override {
    session_ = &session;
    hooks.node_sets.set("topology",
                        [this](JobId job, const Member& group, std::span<const TaskId> tasks,
                               const Bitmap* allowed) { return node_sets(job, group, tasks, allowed); });
    hooks.node_score.set_table([this](TaskId t) { return scores(t); });
    hooks.hopeless_together.add(
        [this](JobId job, std::span<const TaskId> tasks) { return hopeless(job, tasks); });
  }

 private:
  // State of a group of the current job. The root group begins a new attempt.
  struct Group {
    std::uint64_t attempt = 0;  // the last attempt that used the group
    std::unique_ptr<DomainSearch> search;
  };

  NodeSets* node_sets(JobId id, const Member& group, std::span<const TaskId> tasks, const Bitmap* allowed) {
    const Job& job = cluster().job(id);
    if (!group.is_pod_set && group.at == 0) ++attempt_, job_ = id, prefers_ = false;
    const TopologyConstraint& constraint = constraint_of(job, group);
    if (constraint.topology.empty()) return nullptr;
    const TopologyTree* tree = cluster().topology(constraint.topology);
    auto levels = levels_of(constraint, tree);
    if (auto* wrong = std::get_if<JobReason>(&levels)) return refuse(std::move(*wrong), job, group);
    DomainQuestion question{
        .tree = tree,
        .room = &room_of(*tree),
        .levels = std::get<TopologyLevels>(levels),
        .demand = demand_of(cluster(), tasks),
        .group = name_of(job, group),
        .allowed = allowed,
        .uses_finer_domain = session_->settings.compatibility.required_level_above_common};
    if (question.levels.required > 0) find_anchors(job, tasks, question);
    prefers_ |= question.levels.preferred.has_value();
    DomainSearch& search = search_of(job, group);
    search.start(std::move(question));
    return &search;
  }

  NodeSets* refuse(JobReason why, const Job& job, const Member& group) {
    why.pod_set = name_of(job, group);
    no_sets_.start(std::move(why));
    return &no_sets_;
  }

  // The required domains in which pods of the same pod sets run already. The new pods must join them.
  void find_anchors(const Job& job, std::span<const TaskId> tasks, DomainQuestion& question) const {
    for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p) {
      const auto joins = [&](TaskId t) { return cluster().task(t).pod_set == p; };
      if (job.pod_sets[p].counts.active_allocated() == 0 || std::none_of(tasks.begin(), tasks.end(), joins))
        continue;
      question.is_anchored = true;
      for (TaskId t : job.pod_sets[p].tasks) add_anchor(cluster().placement(t), question);
    }
    std::sort(question.anchors.begin(), question.anchors.end());
  }

  void add_anchor(const Placement& at, DomainQuestion& question) const {
    if (!in(at.status, kActiveAllocated) || !at.node.valid() || !cluster().node(at.node).present) return;
    const TopologyDomainId leaf = question.tree->leaf(cluster().rank(at.node));
    if (!leaf.valid()) return;
    const TopologyDomainId home = question.tree->ancestor(leaf, question.levels.required);
    const auto& known = question.anchors;
    if (std::find(known.begin(), known.end(), home) == known.end()) question.anchors.push_back(home);
  }

  // The task's own preference, or that of the nearest group above it that has one.
  const NodeScores* scores(TaskId t) const {
    const Task& task = cluster().task(t);
    if (!prefers_ || task.job != job_) return nullptr;
    const Job& job = cluster().job(job_);
    if (const DomainSearch* own = preferring(job, {.is_pod_set = true, .at = task.pod_set}))
      return own->scores();
    for (std::uint32_t set = job.pod_sets[task.pod_set].parent;; set = job.sets[set].parent) {
      if (const DomainSearch* above = preferring(job, {.is_pod_set = false, .at = set}))
        return above->scores();
      if (set == 0) return nullptr;
    }
  }

  const DomainSearch* preferring(const Job& job, const Member& group) const {
    const std::size_t at = place_of(job, group);
    if (at >= groups_.size() || groups_[at].attempt != attempt_) return nullptr;
    return groups_[at].search->is_preferring() ? groups_[at].search.get() : nullptr;
  }

  static std::size_t place_of(const Job& job, const Member& group) {
    return group.is_pod_set ? job.sets.size() + group.at : group.at;
  }

  DomainSearch& search_of(const Job& job, const Member& member) {
    const std::size_t at = place_of(job, member);
    if (at >= groups_.size()) groups_.resize(at + 1);
    Group& group = groups_[at];
    if (group.search == nullptr) group.search = std::make_unique<DomainSearch>(cluster());
    group.attempt = attempt_;
    return *group.search;
  }

  DomainRoom& room_of(const TopologyTree& tree) {
    auto& room = rooms_[&tree];
    if (room == nullptr) room = std::make_unique<DomainRoom>(cluster(), tree);
    return *room;
  }

  // ---- a required domain that would be too small even if it were empty

  std::optional<JobReason> hopeless(JobId id, std::span<const TaskId> tasks) {
    const Job& job = cluster().job(id);
    for (std::uint32_t set = 0; set < job.sets.size(); ++set)
      if (auto why = too_small(job, {.is_pod_set = false, .at = set}, tasks)) return why;
    for (std::uint32_t p = 0; p < job.pod_sets.size(); ++p)
      if (auto why = too_small(job, {.is_pod_set = true, .at = p}, tasks)) return why;
    return std::nullopt;
  }

  std::optional<JobReason> too_small(const Job& job, const Member& group, std::span<const TaskId> tasks) {
    const TopologyConstraint& constraint = constraint_of(job, group);
    if (constraint.topology.empty()) return std::nullopt;
    const TopologyTree* tree = cluster().topology(constraint.topology);
    const auto levels = levels_of(constraint, tree);
    std::vector<TaskId> below;
    for (TaskId t : tasks)
      if (is_below(job, cluster().task(t).pod_set, group)) below.push_back(t);
    if (below.empty()) return std::nullopt;
    if (const auto* wrong = std::get_if<JobReason>(&levels)) return *wrong;
    const std::uint32_t required = std::get<TopologyLevels>(levels).required;
    const GroupDemand demand = demand_of(cluster(), below);
    DomainRoom& room = room_of(*tree);
    if (room.could_fit(required, demand)) return std::nullopt;
    JobReason why{.rule = JobRule::kTopologyTooSmall,
                  .pod_set = name_of(job, group),
                  .needed = demand.tasks,
                  .name = tree->name(),
                  .level = required == 0 ? "" : tree->label(required)};
    if (!demand.is_homogeneous) return why;
    const auto [domain, pods] = room.largest_when_empty(required, demand.largest);
    if (domain.valid()) why.domains.push_back({.domain = (*tree)[domain].id, .pods = pods});
    return why;
  }

  const Cluster& cluster() const { return session_->cluster; }

  const Session* session_ = nullptr;
  absl::flat_hash_map<const TopologyTree*, std::unique_ptr<DomainRoom>> rooms_;
  std::vector<Group> groups_;  // sets, then pod sets, of the current job
  NoSets no_sets_;
  JobId job_;
  std::uint64_t attempt_ = 0;
  bool prefers_ = false;  // some group of this attempt has preferred domains
};

}  // namespace

std::unique_ptr<Plugin> make_topology() { return std::make_unique<Topology>(); }

}  // namespace muster::plugins
