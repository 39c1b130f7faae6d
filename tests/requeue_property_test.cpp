// What holds for requeue on every cluster: random ones, whose jobs say at random how long they expect to run.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "cli/policy.hpp"
#include "engine/run_cycle.hpp"
#include "sim/embedded_cluster.hpp"
#include "tests/random_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

std::vector<AnyObject> random_objects(unsigned seed, bool opts_in) {
  std::mt19937_64 engine(seed);
  RandomCluster random;
  for (auto& [list, most] : {std::pair(&random.nodes, 4), {&random.queues, 4}, {&random.jobs, 14}})
    for (int i = 1 + static_cast<int>(engine() % static_cast<unsigned>(most)); i > 0; --i) list->push_back(engine());
  std::vector<AnyObject> objects = objects_of(random);
  for (AnyObject& object : objects)
    if (auto* group = std::get_if<PodGroupObject>(&object); group != nullptr && opts_in) {
      group->last_start = random_cluster_now() - std::chrono::minutes(engine() % 120);
      if (engine() % 4 != 0) group->expected_runtime = std::to_string(1 + engine() % 30) + "m";
    }
  return objects;
}

Policy policy_without(const std::string& action) {
  std::vector<Error> errors;
  Config config;
  std::erase(config.actions, action);
  return cli::make_policy(config, errors);
}

// A minute passes between two cycles.
template <class Look>
void play(Cluster& cluster, const Policy& policy, int cycles, Look look) {
  EmbeddedCluster embedded;
  TimePoint now = random_cluster_now();
  for (int cycle = 0; cycle < cycles; ++cycle, now += 1min) {
    const Decisions d = run_cycle(cluster, policy, now);
    look(d, now);
    embedded.carry_out(cluster, d, now);
    embedded.update(cluster, now);
  }
}

TEST(RequeueProperties, ACommitPlacesItsContenderAndNobodyIsAskedTwiceWithinTheDelay) {
  const Policy policy = policy_without("");
  int requeued = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Cluster cluster = cluster_of(random_objects(seed, true));
    std::map<JobId, TimePoint> last;
    play(cluster, policy, 20, [&](const Decisions& d, TimePoint now) {
      for (const EvictDecision& e : d.evictions) {
        if (e.action != "requeue") continue;
        ++requeued;
        const JobId victim = cluster.task(e.task).job;
        const bool placed = std::ranges::any_of(
            d.pipelined, [&](const PipelineDecision& p) { return cluster.task(p.task).job == e.contender; });
        const bool was_taken_again = std::ranges::any_of(d.evictions, [&](const EvictDecision& other) {
          return cluster.task(other.task).job == e.contender;
        });
        EXPECT_TRUE(placed || was_taken_again) << "seed " << seed;
        const auto before = last.find(victim);
        const bool is_again = before != last.end() && before->second != now;
        EXPECT_TRUE(!is_again || now - before->second >= 5min) << "seed " << seed << " " << cluster.job(victim).name;
        last[victim] = now;
      }
    });
  }
  EXPECT_GT(requeued, 5);
}

TEST(RequeueProperties, WithoutAnyOptInTheActionChangesNothing) {
  const Policy with = policy_without(""), without = policy_without("requeue");
  for (unsigned seed = 0; seed < 100; ++seed) {
    Cluster a = cluster_of(random_objects(seed, false)), b = a;
    std::string first, second;
    play(a, with, 4, [&](const Decisions& d, TimePoint) { first += text_of(a, d) + "\n"; });
    play(b, without, 4, [&](const Decisions& d, TimePoint) { second += text_of(b, d) + "\n"; });
    ASSERT_EQ(first, second) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
