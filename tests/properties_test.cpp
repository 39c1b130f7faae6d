// Properties of every cluster and every cycle, checked on small random clusters.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "engine/cycle/statement.hpp"
#include "model/reason_text.hpp"
#include "policy/policy.hpp"
#include "tests/check_clusters.hpp"
#include "tests/sums_text.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// ---------------------------------------------------------------- generating and checking

Policy policy_of(const Config& config) {
  std::vector<Error> errors;
  return policy::make_policy(config, errors);
}
// Which jobs lost pods without success for the preemptor is remembered between cycles, and is in no object.
Policy forgetful() {
  Policy policy = policy_of({});
  policy.settings.compatibility.take_once = policy.settings.compatibility.settled_plans = false;
  return policy;
}
Policy allocate_only() {
  Config config;
  config.actions = {"allocate"};
  return policy_of(config);
}

Decisions decide(Cluster& cluster, const Policy& policy) {
  return run_cycle(cluster, policy, random_cluster_now());
}

// All decisions, in order.
std::string whole_text(const Cluster& c, const Decisions& d) {
  std::string text = text_of(c, d) + "\n";
  for (const BindDecision& b : d.binds) text += c.task(b.task).name + " ";
  for (const EvictDecision& e : d.evictions) text += fmt::format("-{} {} ", c.task(e.task).name, e.action);
  for (const PatchDecision& p : d.patches)
    for (const auto& [key, value] : p.annotations)
      text += fmt::format("\n{} {} {}", c.job(p.job).name, key, value.value_or("removed"));
  for (const WaitingJob& w : d.waiting) {
    text += "\n" + c.job(w.job).name + ":";
    for (const JobReason& r : w.reasons) text += " " + muster::text_of(c, r);
  }
  for (const QueueShare& s : d.shares)
    text += fmt::format("\n{}: {}", c.queue(s.queue).name, fmt::join(s.fair_share, " "));
  return text;
}

// ---------------------------------------------------------------- are the clusters interesting enough?

// How many of the clusters have something of each kind.
std::map<std::string, int> met(int clusters) {
  std::map<std::string, int> count;
  check_clusters(clusters, [&, policy = policy_of({})] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    const Decisions d = decide(cluster, policy);
    std::set<std::string> things;
    if (!d.binds.empty()) things.insert("bind");
    if (!d.pipelined.empty()) things.insert("pipeline");
    for (const EvictDecision& e : d.evictions) things.insert("evict by " + e.action);
    for (const WaitingJob& w : d.waiting)
      for (const JobReason& r : w.reasons) {
        things.insert(std::string(code_of(r.rule)));
        for (const RefusalCount& n : r.nodes) things.insert(std::string(code_of(n.refusal.rule)));
      }
    for (const std::string& thing : things) ++count[thing];
  });
  return count;
}

TEST(RandomClusters, MeetWhatMatters) {
  auto count = met(1000);
  EXPECT_GT(count["bind"], 400);
  EXPECT_GT(count["pipeline"], 100);
  for (const char* thing : {"OverLimit", "NonPreemptibleOverQuota", "PodSchedulingErrors", "SchedulingGated",
                            "NotEnoughResources", "Taints", "Unschedulable", "NodeAffinity", "HostPorts",
                            "GpuMemoryUnknown", "TopologyNotSatisfiable", "TopologyDoesNotExist",
                            "TopologyLevelDoesNotExist", "TopologyDomainsTooSmall"})
    EXPECT_GT(count[thing], 10) << thing;
}

// ---------------------------------------------------------------- one cycle

void assert_fits_now(const Cluster& c) {
  for (NodeId n : c.nodes_by_name()) {
    for (std::uint32_t k = 0; k < c.kinds().size(); ++k)
      if (c.allocatable().at(Kind(k), n) != 0) RC_ASSERT(c.idle().at(Kind(k), n) >= 0);
    for (const SharedGpu& gpu : c.node(n).shared) RC_ASSERT(gpu.allocated <= c.node(n).gpu_memory);
  }
}

// Includes what is being released and what will be.
void assert_fits_eventually(const Cluster& c) {
  for (NodeId n : c.nodes_by_name()) {
    for (std::uint32_t k = 0; k < c.kinds().size(); ++k)
      if (c.allocatable().at(Kind(k), n) != 0) RC_ASSERT(c.free_or_releasing(Kind(k), n) >= 0);
    for (const SharedGpu& gpu : c.node(n).shared)
      RC_ASSERT(gpu.allocated - gpu.releasing + gpu.pipelined <= c.node(n).gpu_memory);
  }
}

TEST(Properties, NoNodeHoldsMoreThanItHas) {
  check_clusters(1200, [policy = policy_of({})] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    decide(cluster, policy);
    assert_fits_now(cluster);
  });
}

// Where victims move, the node of a victim may be promised to two pods until the cycle ends.
TEST(Properties, NoNodeIsPromisedMoreThanItWillHave) {
  check_clusters(1200, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    in_cycle(cluster, policy, [](const Cluster& c) {
      assert_fits_now(c);
      assert_fits_eventually(c);
    });
  });
}

// What tasks use of a shared GPU, counted from their placements.
struct Held {
  std::int64_t allocated = 0, releasing = 0, pipelined = 0;
  bool operator==(const Held&) const = default;
};
using HeldByGroup = std::map<std::pair<NodeId, GroupId>, Held>;

void count_shares(const Cluster& c, TaskId t, NodeId n, HoldingId holding, TaskStatus as, HeldByGroup& held) {
  const std::int64_t memory = n.valid() ? c.node(n).memory_of(c.shape_of(t).gpu) : 0;
  if (!n.valid() || !c.shape_of(t).is_shared()) return;
  for (GroupId g : c.groups(holding)) {
    Held& h = held[{n, g}];
    (as == TaskStatus::kPipelined ? h.pipelined : h.allocated) += memory;
    if (as == TaskStatus::kReleasing) h.releasing += memory;
  }
}

HeldByGroup shares_of(const Cluster& c) {
  HeldByGroup held;
  for (TaskId t : ids(c.tasks())) {
    const Placement& at = c.placement(t);
    if (!in(at.status, kActiveUsed)) continue;
    count_shares(c, t, at.node, at.holding, at.status, held);
    count_shares(c, t, at.source, at.source_holding, TaskStatus::kReleasing, held);
    count_shares(c, t, at.via, at.via_holding, TaskStatus::kReleasing, held);
  }
  return held;
}

// The node counts a shared GPU as one whole GPU, however many pods share it.
void assert_devices_agree(const Cluster& c, NodeId n) {
  std::int64_t used = 0;
  for (TaskId t : ids(c.tasks())) {
    const Placement& at = c.placement(t);
    if (!in(at.status, kActiveUsed) || c.task(t).is_reservation) continue;
    const bool placed_pods = at.node == n && at.status != TaskStatus::kPipelined;
    used += c.shape_of(t).whole_gpus() * (placed_pods + (at.source == n) + (at.via == n));
  }
  for (const SharedGpu& gpu : c.node(n).shared) used += gpu.allocated > 0 ? kOneGpu : 0;
  if (c.allocatable().at(kGpu, n) > 0) RC_ASSERT(c.idle().at(kGpu, n) == c.allocatable().at(kGpu, n) - used);
}

TEST(Properties, ASharedGpuIsThereExactlyWhileSomethingIsOnIt) {
  check_clusters(1200, [policy = policy_of({})] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    in_cycle(cluster, policy, [](const Cluster& c) {
      HeldByGroup kept;
      for (NodeId n : c.nodes_by_name()) {
        for (const SharedGpu& g : c.node(n).shared)
          kept[{n, g.group}] = {g.allocated, g.releasing, g.pipelined};
        assert_devices_agree(c, n);
      }
      RC_ASSERT(kept == shares_of(c));
    });
  });
}

// Whether the tree is satisfied by tasks in these states.
bool placed_pods(const Job& job, const Member& member, StatusSet statuses) {
  if (member.is_pod_set)
    return job.pod_sets[member.at].counts.in(statuses) >= job.pod_sets[member.at].minimum;
  const GroupSet& set = job.sets[member.at];
  return std::count_if(set.members.begin(), set.members.end(),
                       [&](const Member& m) { return placed_pods(job, m, statuses); }) >= set.required();
}

bool is_wholly_ready(const Job& job) {
  return std::all_of(job.pod_sets.begin(), job.pod_sets.end(), [](const PodSet& p) { return p.is_ready(); });
}

// A job with optional sub groups may be tried while one of them is not ready; such jobs are left out.
TEST(Properties, AGangIsPlacedAtItsMinimumOrNotAtAll) {
  check_clusters(1200, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    in_cycle(cluster, policy, [](const Cluster& c) {
      const Member root;
      for (const Job& job : c.jobs()) {
        if (!is_wholly_ready(job)) continue;
        if (job.counts.of(TaskStatus::kPipelined) > 0) RC_ASSERT(placed_pods(job, root, kActiveAllocated));
        if (job.counts.of(TaskStatus::kBinding) > 0) RC_ASSERT(placed_pods(job, root, kAllocatedSet));
      }
    });
  });
}

TEST(Properties, NoQueueIsFilledAboveItsLimitOrQuota) {
  check_clusters(1200, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    cluster.refresh(random_cluster_now());
    const Cluster before = cluster;
    in_cycle(cluster, policy, [&](const Cluster& c) {
      for (QueueId q : ids(before.queues()))
        for (Accounted r : kAccounted) {
          const QueueAmounts& amounts = before.queue(q).of(r);
          const QueueUse &was = before.use(q), &is = c.use(q);
          if (is.allocated.share(r) > was.allocated.share(r) && amounts.limit != -1)
            RC_ASSERT(is.allocated.share(r) <= amounts.limit);
          if (is.non_preemptible.share(r) > was.non_preemptible.share(r) && amounts.quota != -1)
            RC_ASSERT(is.non_preemptible.share(r) <= amounts.quota);
        }
    });
  });
}

// GPU memory is a different share of the GPUs of each node, so what a queue may still use can fit on an
// earlier node only after pods were placed on others.
bool are_limits_a_matter_of_nodes(const Decisions& d) {
  const auto is_one = [](const JobReason& reason) {
    return std::ranges::any_of(reason.nodes,
                               [](const auto& n) { return n.refusal.rule == NodeRule::kQueueCapacity; });
  };
  return std::ranges::any_of(d.waiting,
                             [&](const WaitingJob& w) { return std::ranges::any_of(w.reasons, is_one); });
}

// A pending gang may reserve what another job gets in the next cycle; so this property is about cycles
// without one.
TEST(Properties, ASecondCycleFindsNothingToDo) {
  check_clusters(1200, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    const Decisions first = decide(cluster, policy);
    if (!first.pipelined.empty() || are_limits_a_matter_of_nodes(first)) return;
    RC_ASSERT(text_of(cluster, decide(cluster, policy)) == "");
  });
}

// ---------------------------------------------------------------- the same result in another way

TEST(Properties, TheOrderOfObjectsDecidesNothing) {
  check_clusters(1200, [policy = policy_of({})] {
    std::vector<Object> objects = objects_of(*any_cluster());
    Cluster first = cluster_of(objects), again = first;
    const std::string decided = whole_text(first, decide(first, policy));
    RC_ASSERT(whole_text(again, decide(again, policy)) == decided);
    std::shuffle(objects.begin(), objects.end(), std::mt19937_64(*any_number()));
    Cluster shuffled = cluster_of(objects);
    RC_ASSERT(whole_text(shuffled, decide(shuffled, policy)) == decided);
    RC_ASSERT(sums_text(shuffled) == sums_text(first));
  });
}

Config strategies(const std::string& gpu, const std::string& cpu) {
  Config config;
  for (PluginConfig& p : config.plugins)
    if (p.name == "nodeplacement") p.arguments = {{"gpu", gpu}, {"cpu", cpu}};
  return config;
}

TEST(Properties, TheNodeIndexDecidesAsPlainScoringDoes) {
  std::vector<Policy> indexed, plain;
  for (const auto& [gpu, cpu] :
       {std::pair("binpack", "binpack"), {"spread", "spread"}, {"binpack", "spread"}}) {
    indexed.push_back(policy_of(strategies(gpu, cpu)));
    plain.push_back(indexed.back());
    plain.back().settings.index_nodes = false;
  }
  check_clusters(1500, [&] {
    const RandomCluster random = *any_cluster();
    const auto way = *rc::gen::inRange<std::size_t>(0, indexed.size());
    Cluster a = cluster_of(objects_of(random)), b = a;
    RC_ASSERT(whole_text(a, decide(a, indexed[way])) == whole_text(b, decide(b, plain[way])));
  });
}

TEST(Properties, VictimsThatAreReplayedAreThoseOfEachProbe) {
  const Policy replaying = policy_of({});
  Policy plain = replaying;
  plain.settings.replay_victims = false;
  check_clusters(1500, [&] {
    Cluster a = cluster_of(objects_of(*any_cluster())), b = a;
    RC_ASSERT(whole_text(a, decide(a, replaying)) == whole_text(b, decide(b, plain)));
  });
}

// ---------------------------------------------------------------- undo

// One random operation of a statement, if it is possible for the chosen task.
class RandomOperations {
 public:
  RandomOperations(Session& session, Statement& statement) : s_(session), st_(statement) {}

  void perform(Dice dice) {
    const TaskId t(static_cast<std::size_t>(dice.roll(static_cast<int>(s_.cluster.tasks().size()))));
    const NodeId n = some_node(dice);
    const Placement at = s_.cluster.placement(t);
    if (!s_.cluster.task(t).in_job()) return;
    switch (dice.roll(6)) {
      case 0:
        if (at.status == TaskStatus::kPending) st_.allocate(t, n, some_groups(t, n, dice));
        break;
      case 1:
        if (at.status == TaskStatus::kPending || at.virtually_evicted)
          st_.pipeline(t, n, some_groups(t, n, dice));
        break;
      case 2:
      case 3:
        if (in(at.status, kActiveAllocated)) st_.evict(t);
        break;
      case 4:
        if (at.virtually_evicted) st_.take_back(t);
        break;
      default:
        st_.convert_to_pipelined(s_.cluster.task(t).job);
    }
  }

 private:
  NodeId some_node(Dice& dice) const {
    const auto nodes = s_.cluster.nodes_by_name();
    return nodes[static_cast<std::size_t>(dice.roll(static_cast<int>(nodes.size())))];
  }
  HoldingId some_groups(TaskId t, NodeId n, Dice& dice) {
    const Shape& shape = s_.cluster.shape_of(t);
    std::vector<GroupId> groups;
    for (int i = 0; shape.is_shared() && i < shape.gpu.devices; ++i)
      groups.push_back(
          s_.cluster.intern_group(fmt::format("{}-g{}", s_.cluster.node(n).name, dice.roll(2) * 2 + i)));
    return s_.cluster.intern_groups(std::move(groups));
  }
  Session& s_;
  Statement& st_;
};

TEST(Properties, WhatIsRolledBackNeverHappened) {
  check_clusters(1200, [policy = allocate_only()] {
    Cluster cluster = cluster_of(objects_of(*any_cluster()));
    Session session(cluster, policy, random_cluster_now());
    if (cluster.tasks().empty() || cluster.nodes_by_name().empty()) return;
    const std::string before = cluster.fingerprint();
    Statement statement(session);
    RandomOperations operations(session, statement);
    for (std::uint64_t number : *numbers_up_to(12)) operations.perform(Dice(number));
    const auto checkpoint = statement.checkpoint();
    const std::string between = cluster.fingerprint();
    RC_ASSERT(cluster.recount() == "");
    for (std::uint64_t number : *numbers_up_to(12)) operations.perform(Dice(number));
    RC_ASSERT(cluster.recount() == "");
    statement.rollback(checkpoint);
    RC_ASSERT(cluster.fingerprint() == between);
    statement.rollback(0);
    RC_ASSERT(cluster.fingerprint() == before);
  });
}

// ---------------------------------------------------------------- deltas

void remove(Cluster& c, const Object& object) {
  std::visit([&]<class T>(const T& o) { c.remove(T::kKind, o.meta.ns, o.meta.name); }, object);
}

// Objects of two clusters with the same names replace each other, disappear and return, with cycles between.
TEST(Properties, SumsAreKeptThroughDeltasAndCycles) {
  check_clusters(1000, [policy = policy_of({})] {
    std::vector<Object> objects = objects_of(*any_cluster());
    const std::vector<Object> others = objects_of(*any_cluster());
    Cluster cluster = cluster_of(objects);
    objects.insert(objects.end(), others.begin(), others.end());
    for (std::uint64_t number : *numbers_up_to(16)) {
      Dice dice(number);
      const Object& object = objects[static_cast<std::size_t>(dice.roll(static_cast<int>(objects.size())))];
      dice.roll(3) == 0 ? remove(cluster, object) : cluster.apply(Object(object));
      if (dice.roll(3) > 0) continue;
      decide(cluster, policy);
      RC_ASSERT(cluster.recount() == "");
    }
    cluster.refresh(random_cluster_now());
    RC_ASSERT(cluster.recount() == "");
  });
}

// Without memory of former states and charges of jobs, which matters if tenants change running jobs:
// tenants.md 2.
ClusterOptions without_memory() {
  ClusterOptions options;
  options.compatibility.charge_until_gone = options.compatibility.quota_bounds_changes = false;
  return options;
}

// What a cycle assumed is corrected when the source reports the real state.
TEST(Properties, AClusterFedByDeltasIsTheOneBuiltAtOnce) {
  check_clusters(400, [policy = forgetful()] {
    const std::vector<Object> objects = objects_of(*any_cluster());
    const auto every = *rc::gen::inRange<std::size_t>(1, 20);
    Cluster fed(without_memory());
    for (std::size_t i = 0; i < objects.size(); ++i) {
      fed.apply(Object(objects[i]));
      if (i % every == 0) decide(fed, policy);
    }
    for (const Object& object : objects)
      if (std::holds_alternative<PodObject>(object) || std::holds_alternative<PodGroupObject>(object))
        fed.apply(Object(object));
    fed.refresh(random_cluster_now());
    Cluster built(without_memory());
    for (const Object& object : objects) built.apply(Object(object));
    built.refresh(random_cluster_now());
    RC_ASSERT(sums_text(fed) == sums_text(built));
    RC_ASSERT(whole_text(fed, decide(fed, policy)) == whole_text(built, decide(built, policy)));
  });
}

}  // namespace
}  // namespace muster
