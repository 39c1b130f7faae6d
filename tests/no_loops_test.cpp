// Clusters settle: with constant input, evictions end.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <utility>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/session.hpp"
#include "policy/policy.hpp"
#include "sim/embedded_cluster.hpp"
#include "tests/random_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

RandomCluster random_numbers(unsigned seed) {
  std::mt19937_64 engine(seed);
  RandomCluster random;
  for (auto& [list, most] : {std::pair(&random.nodes, 6), {&random.queues, 5}, {&random.jobs, 14}})
    for (int i = 1 + static_cast<int>(engine() % static_cast<unsigned>(most)); i > 0; --i)
      list->push_back(engine());
  return random;
}

Policy default_policy() {
  std::vector<Error> errors;
  return policy::make_policy({}, errors);
}

// The last action of a cycle. A preemptible gang that had its minimum still has it, with running or nominated
// pods, or has no pods left.
class GangsAreWhole final : public Action {
 public:
  std::string name() const override { return "look"; }
  void open(Session& s) override {
    for (JobId j : ids(s.cluster.jobs()))
      if (const Job& job = s.cluster.job(j);
          job.present && job.is_preemptible() && is_satisfied(job, Member{}))
        whole_.push_back(j);
  }
  void run(Session& s) override {
    for (JobId j : std::exchange(whole_, {})) {
      const Job& job = s.cluster.job(j);
      EXPECT_TRUE(job.counts.active_allocated() == 0 || is_satisfied(job, Member{}))
          << job.name << " was left below its minimum";
    }
  }

 private:
  std::vector<JobId> whole_;
};

// Each eviction is for a job that is placed or nominated; no pod is bound and evicted in the same cycle.
void expect_sense(const Cluster& cluster, const Decisions& d) {
  std::set<JobId> served;
  for (const BindDecision& b : d.binds) served.insert(cluster.task(b.task).job);
  for (const PipelineDecision& p : d.pipelined) served.insert(cluster.task(p.task).job);
  for (const EvictDecision& e : d.evictions) {
    EXPECT_TRUE(!e.preemptor.valid() || served.contains(e.preemptor))
        << cluster.task(e.task).name << " is evicted for " << cluster.job(e.preemptor).name
        << ", which gets nothing";
    EXPECT_TRUE(std::ranges::none_of(d.binds, [&](const BindDecision& b) { return b.task == e.task; }))
        << cluster.task(e.task).name << " is bound and evicted";
  }
}

// The preemptor gets its nodes one after the other: while the first is being vacated, it may request the
// next.
TEST(NoLoops, ATerminatingVictimWasNotEvictedInVain) {
  TestCluster c;
  c.node("n1", {.gpus = 4});
  c.queue("due", {.deserved = 3}).queue("rich", {.deserved = 1});
  c.running("old", {.queue = "rich", .tasks = 4, .min = 1, .node = "n1"});
  c.pending("new", {.queue = "due", .tasks = 3, .min = 1});
  std::size_t evictions = 0;
  for (int cycle = 0; cycle < 4; ++cycle)
    evictions += run_cycle(c.cluster(), c.policy(), c.now()).evictions.size();
  EXPECT_EQ(evictions, 3U);
}

TEST(NoLoops, EvictionsEndAndGangsStayWhole) {
  Policy policy = default_policy();
  policy.actions.push_back(std::make_shared<GangsAreWhole>());
  int evictions = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    Cluster cluster = cluster_of(objects_of(random_numbers(seed)));
    EmbeddedCluster embedded;
    const TimePoint now = random_cluster_now();
    for (int cycle = 0; cycle < 50; ++cycle) {
      const Decisions d = run_cycle(cluster, policy, now);
      evictions += static_cast<int>(d.evictions.size());
      expect_sense(cluster, d);
      ASSERT_TRUE(cycle < 10 || d.evictions.empty())
          << "seed " << seed << ", cycle " << cycle << " by " << d.evictions.front().action << " for "
          << cluster.job(d.evictions.front().preemptor).name << ": " << text_of(cluster, d);
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", cycle " << cycle << ": " << text_of(cluster, d);
      if (text_of(cluster, d).empty()) break;  // the cluster has settled
      embedded.carry_out(cluster, d, now);
      embedded.update(cluster, now);
    }
  }
  EXPECT_GT(evictions, 100);
}

// ---------------------------------------------------------------- the potential of docs/fairness.md

// Used GPUs divided by the fair share; for a queue without a fair share it grows with the used GPUs.
double saturation(double held, double share) { return share > 0 ? held / share : held * 1e6; }

// Jobs of one GPU in queues of one level: each eviction by reclaim serves a queue below its quota, or lowers
// the larger of the two saturations.
TEST(Potential, EveryReclaimLowersIt) {
  constexpr auto kGpus = index(Accounted::kGpus);
  int by_share = 0, by_quota = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    TestCluster c;
    c.only({"allocate", "reclaim"}).node("n0", {.gpus = 12});
    for (const char* queue : {"a", "b", "c"})
      c.queue(queue,
              {.deserved = static_cast<double>(random() % 5), .weight = static_cast<double>(random() % 3)});
    for (int j = 0; j < 12; ++j)
      c.running("run" + std::to_string(j), {.queue = random() % 4 == 0 ? "b" : "a", .node = "n0"});
    for (int j = 0; j < 8; ++j)
      c.pending("new" + std::to_string(j), {.queue = random() % 3 == 0 ? "b" : "c"});
    for (int cycle = 0; cycle < 5; ++cycle) {
      c.cycle();
      for (const EvictDecision& e : c.decisions().evictions) {
        const QueueSnapshot &theirs = e.victim_queue, &ours = e.preemptor_queue;
        const double before = saturation(theirs.held[kGpus], theirs.fair_share[kGpus]);
        const double after = std::max(saturation(theirs.held[kGpus] - 1, theirs.fair_share[kGpus]),
                                      saturation(ours.held[kGpus] + 1, ours.fair_share[kGpus]));
        const bool is_share = e.rule == "its queue is above its fair share";
        ++(is_share ? by_share : by_quota);
        if (is_share)
          EXPECT_LT(after, before) << "seed " << seed;
        else
          EXPECT_LT(ours.held[kGpus], ours.quota[kGpus]) << "seed " << seed;
      }
    }
  }
  EXPECT_GT(by_share, 30);
}

}  // namespace
}  // namespace muster
