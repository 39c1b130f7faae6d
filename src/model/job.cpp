// Builds job trees from PodGroups and answers questions about them.
#include "model/job.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "util/keys.hpp"

namespace muster {

std::optional<Preemptibility> parse_preemptibility(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (lower == "preemptible") return Preemptibility::kPreemptible;
  if (lower == "non-preemptible") return Preemptibility::kNonPreemptible;
  if (lower == "semi-preemptible") return Preemptibility::kSemiPreemptible;
  return std::nullopt;
}

bool is_below(const Job& job, std::uint32_t pod_set, const Member& member) {
  if (member.is_pod_set) return member.at == pod_set;
  std::uint32_t set = job.pod_sets[pod_set].parent;
  while (set != member.at && set != 0) set = job.sets[set].parent;
  return set == member.at;
}

bool is_satisfied(const Job& job, const Member& member, StatusSet statuses) {
  if (member.is_pod_set)
    return job.pod_sets[member.at].counts.in(statuses) >= job.pod_sets[member.at].minimum;
  const GroupSet& set = job.sets[member.at];
  std::int32_t count = 0;
  for (const Member& m : set.members) count += is_satisfied(job, m, statuses);
  return count >= set.required();
}

namespace {
bool is_ready(const Job& job, const GroupSet& set) {
  std::int32_t count = 0;
  for (const Member& m : set.members)
    count += m.is_pod_set ? job.pod_sets[m.at].is_ready() : is_ready(job, job.sets[m.at]);
  return count >= set.required();
}
}  // namespace

bool is_ready(const Job& job) { return is_ready(job, job.sets[0]); }

std::optional<std::uint32_t> find_pod_set(const Job& job, std::string_view name) {
  const auto name_of = [&](std::uint32_t at) -> std::string_view { return job.pod_sets[at].name; };
  if (!job.sets_by_name.empty()) {
    const auto found = std::ranges::lower_bound(job.sets_by_name, name, {}, name_of);
    return found != job.sets_by_name.end() && name_of(*found) == name ? std::optional(*found) : std::nullopt;
  }
  for (std::uint32_t i = 0; i < job.pod_sets.size(); ++i)
    if (name_of(i) == name) return i;
  return std::nullopt;
}

void settle_standing(Job& job) {
  job.short_sets = job.below_sets = job.above_sets = 0;
  for (PodSet& p : job.pod_sets) {
    p.is_short = p.is_below = p.is_above = false;
    settle_standing(job, p);
  }
}

bool is_flatly_satisfied(const Job& job, StatusSet statuses) {
  return std::all_of(job.pod_sets.begin(), job.pod_sets.end(),
                     [&](const PodSet& p) { return p.counts.in(statuses) >= p.minimum; });
}

bool can_lose_tasks(const Job& job) {
  return job.counts.active_allocated() > 0 &&
         (job.is_preemptible() || (job.is_semi_preemptible() && elastic_state(job) == ElasticState::kAbove));
}

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Child groups by the parent's name; "" is the root.
using SubGroupsBelow = std::map<std::string, std::vector<const SubGroupObject*>, std::less<>>;

std::string quoted(const SubGroupObject& group) { return "sub group \"" + group.name + "\""; }

// Returns what is wrong with the names: missing, duplicate or unknown ones; "" if nothing is.
std::string bad_name(const std::vector<SubGroupObject>& groups) {
  std::set<std::string_view> names;
  for (const SubGroupObject& g : groups) {
    if (g.name.empty()) return "a sub group has no name";
    if (!names.insert(g.name).second) return quoted(g) + " is listed twice";
  }
  for (const SubGroupObject& g : groups)
    if (!g.parent.empty() && !names.contains(lower(g.parent)))
      return quoted(g) + " names parent \"" + g.parent + "\", which does not exist";
  return "";
}

// Returns what keeps the groups from forming a tree, "" if nothing does.
std::string bad_tree(const std::vector<SubGroupObject>& groups, const SubGroupsBelow& below) {
  std::set<const SubGroupObject*> reached;
  std::vector<std::string_view> level{""}, next;
  for (int depth = 0; !level.empty(); ++depth, level.swap(next)) {
    next.clear();
    for (std::string_view name : level)
      if (const auto found = below.find(name); found != below.end())
        for (const SubGroupObject* g : found->second) {
          if (depth == kDeepestSubGroup)
            return quoted(*g) + " is nested more than " + std::to_string(kDeepestSubGroup) + " levels deep";
          reached.insert(g);
          next.push_back(g->name);
        }
  }
  for (const SubGroupObject& g : groups)
    if (!reached.contains(&g)) return quoted(g) + " is its own ancestor";
  return "";
}

void make_single_pod_set(const PodGroupObject& object, std::int32_t minimum, Job& job) {
  job.sets.push_back({.name = "",
                      .members = {{true, 0}},
                      .min_sub_group = object.min_sub_group,
                      .topology = object.topology});
  job.pod_sets.push_back({.name = "default", .minimum = minimum});
}

class TreeBuilder {
 public:
  TreeBuilder(const PodGroupObject& object, const SubGroupsBelow& below, Job& job)
      : object_(object), below_(below), job_(job) {}
  void build() {
    job_.sets.push_back({.name = "", .min_sub_group = object_.min_sub_group, .topology = object_.topology});
    fill(0, "");
  }

 private:
  void fill(std::uint32_t set, const std::string& name) {
    for (const SubGroupObject* g : below_.at(name)) {
      const bool is_set = below_.contains(g->name);
      const auto at = static_cast<std::uint32_t>(is_set ? job_.sets.size() : job_.pod_sets.size());
      job_.sets[set].members.push_back({!is_set, at});
      if (is_set) {
        job_.sets.push_back(
            {.name = g->name, .min_sub_group = g->min_sub_group, .topology = g->topology, .parent = set});
        fill(at, g->name);
      } else {
        job_.pod_sets.push_back(
            {.name = g->name, .minimum = g->min_member.value_or(0), .topology = g->topology, .parent = set});
      }
    }
  }
  const PodGroupObject& object_;
  const SubGroupsBelow& below_;
  Job& job_;
};

}  // namespace

void read_job(const PodGroupObject& object, Job& job) {
  job.uid = object.meta.uid;
  job.created = object.meta.created;
  job.queue_name = object.queue;
  job.priority_class = object.priority_class;
  const std::string* user = find_label(object.meta.labels, keys::kUser);
  job.user = user == nullptr ? "" : *user;
  job.told_preemptibility = object.told_preemptibility;
  job.told_queue = object.last_queue;
  job.preemptibility_spec = object.preemptibility;
  job.preemption_delay = object.preemption_delay;
  job.staleness_grace = object.staleness_grace;
  job.last_start = object.last_start;
  job.last_eviction = object.last_eviction;
  job.stale_since = object.stale_since;
  job.expected_runtime = object.expected_runtime;
  job.requeue_delay = object.requeue_delay;
  job.requeue_not_before = object.requeue_not_before;
  job.eviction_receipt = object.eviction_receipt;
  job.requeued_at = object.requeued_at ? parse_time(*object.requeued_at) : std::nullopt;
  job.mark_unschedulable = object.mark_unschedulable;
  job.stays_terminating = object.stays_terminating;
}

namespace {

// Lets a job with thousands of sub groups find a pod's sub group fast.
void sort_names(Job& job) {
  constexpr std::size_t kFew = 8;
  job.sets_by_name.clear();
  if (job.pod_sets.size() <= kFew) return;
  for (std::uint32_t i = 0; i < job.pod_sets.size(); ++i) job.sets_by_name.push_back(i);
  std::ranges::sort(job.sets_by_name, {},
                    [&](std::uint32_t at) -> const std::string& { return job.pod_sets[at].name; });
}

}  // namespace

std::string build_tree(const PodGroupObject& object, Job& job) {
  job.sets.clear();
  job.pod_sets.clear();
  SubGroupsBelow below;
  for (const SubGroupObject& g : object.sub_groups) below[lower(g.parent)].push_back(&g);
  std::string problem = bad_name(object.sub_groups);
  if (problem.empty()) problem = bad_tree(object.sub_groups, below);
  if (!problem.empty())
    make_single_pod_set(object, 1, job);
  else if (object.sub_groups.empty())
    make_single_pod_set(object, object.min_member.value_or(1), job);
  else
    TreeBuilder(object, below, job).build();
  for (PodSet& p : job.pod_sets) p.declared = p.minimum;
  sort_names(job);
  settle_standing(job);
  return problem;
}

}  // namespace muster
