// Compares the solver with an exhaustive search, on clusters that are small enough for one.
#include <gtest/gtest.h>

#include <random>

#include "engine/search/eviction_planner.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<unsigned>(n)); }

 private:
  std::mt19937 engine_;
};

// Up to four nodes and eight running jobs in two queues, and one pending job.
TestCluster small_cluster(unsigned seed, const Config& config = {}) {
  Random random(seed);
  TestCluster c(config);
  const int nodes = 1 + random.below(4);
  std::vector<int> room;
  for (int n = 0; n < nodes; ++n) {
    room.push_back(1 + random.below(4));
    c.node("n" + std::to_string(n), {.gpus = room.back()});
  }
  for (const char* queue : {"a", "b"})
    c.queue(queue, {.deserved = static_cast<double>(random.below(7)),
                    .weight = static_cast<double>(random.below(3))});
  for (int j = 0; j < 8; ++j) {
    JobSpec spec{.queue = random.below(2) == 0 ? "a" : "b",
                 .gpus = 1 + random.below(2),
                 .priority = 50 + 10 * random.below(2)};
    const int tasks = 1 + random.below(3);
    for (int t = 0; t < tasks; ++t) {
      const auto n = static_cast<std::size_t>(random.below(nodes));
      if (room[n] < spec.gpus) continue;
      room[n] -= spec.gpus;
      spec.nodes.push_back("n" + std::to_string(n));
    }
    if (spec.nodes.empty()) continue;
    spec.tasks = static_cast<int>(spec.nodes.size());
    spec.min = 1 + random.below(spec.tasks);
    c.running("run" + std::to_string(j), spec);
  }
  c.pending("p", {.queue = random.below(2) == 0 ? "a" : "b",
                  .tasks = 1 + random.below(3),
                  .gpus = 1 + random.below(3),
                  .priority = 50 + 10 * random.below(3)});
  return c;
}

// What reclaim and preempt may evict for the job, and by which rules.
struct Rules {
  Candidates candidates;
  ScenarioCheck refusal;
  bool is_open = true;  // the gate
};

Rules preempt_rules(Session& s, VictimPool&, JobId p) {
  return {.candidates = {.leaves = {s.cluster.job(p).queue},
                         .eviction_refusal = [&s, p](JobId v) -> std::optional<VictimRefusal> {
                           if (s.cluster.job(v).priority >= s.cluster.job(p).priority) return VictimRefusal{};
                           return s.hooks.preempt_victim(p, v);
                         }},
          .refusal = [&s](const Scenario& sc) { return s.hooks.preempt_scenario(sc); },
          .is_open = !s.hooks.job_over_quota(p, s.chunk(p).tasks)};
}

Rules reclaim_rules(Session& s, VictimPool& pool, JobId p) {
  s.hooks.search_begins(p);
  Rules rules{.candidates = {.eviction_refusal = [&s, p](JobId v) { return reclaim_refusal(s, v, p); }},
              .refusal = [&s](const Scenario& sc) { return reclaim_refusal(s, sc); },
              .is_open = s.hooks.may_reclaim(p)};
  for (QueueId leaf : pool.leaves())
    if (leaf != s.cluster.job(p).queue && !s.hooks.reclaim_from_queue(p, leaf))
      rules.candidates.leaves.push_back(leaf);
  return rules;
}
using MakeRules = Rules (*)(Session&, VictimPool&, JobId);

// The batches that the victim order takes from each job, in its order.
std::vector<std::vector<std::vector<TaskId>>> batches_by_job(Session& s, VictimPool& pool,
                                                             const Rules& rules) {
  VictimOrder order(s, pool);
  order.start(rules.candidates);
  std::vector<JobId> jobs;
  std::vector<std::vector<std::vector<TaskId>>> batches;
  while (const auto popped = order.pop()) {
    const auto at = static_cast<std::size_t>(std::find(jobs.begin(), jobs.end(), popped->job) - jobs.begin());
    if (at == jobs.size()) jobs.push_back(popped->job), batches.emplace_back();
    batches[at].emplace_back(popped->tasks.begin(), popped->tasks.end());
    order.take(*popped);
  }
  return batches;
}

bool works(Session& s, ScenarioPlay& play, const Rules& rules, JobId p, const std::vector<TaskId>& victims) {
  if (victims.empty()) return false;
  Bitmap everywhere(s.cluster.nodes_by_name().size());
  everywhere.fill();
  const Chunk chunk = s.chunk(p);
  GpuRoom room(s.cluster);
  room.update();
  Statement st(s);
  return !play.run(st, {.preemptor = p,
                        .tasks = chunk.tasks,
                        .victims = victims,
                        .feasible = everywhere,
                        .room = room,
                        .refusal = rules.refusal});
}

// Whether some legal set of victims lets the job run.
bool exists(TestCluster& c, MakeRules make) {
  Session& s = c.open();
  const JobId p = c.job_id("p");
  VictimPool pool(s);
  const Rules rules = make(s, pool, p);
  if (!rules.is_open) return false;
  ScenarioPlay play(s);
  const auto batches = batches_by_job(s, pool, rules);
  std::vector<std::size_t> taken(batches.size(), 0);
  while (true) {
    std::size_t j = 0;
    while (j < taken.size() && taken[j] == batches[j].size()) taken[j++] = 0;
    if (j == taken.size()) return false;
    ++taken[j];
    std::vector<TaskId> victims;
    for (std::size_t i = 0; i < taken.size(); ++i)
      for (std::size_t b = 0; b < taken[i]; ++b)
        victims.insert(victims.end(), batches[i][b].begin(), batches[i][b].end());
    if (works(s, play, rules, p, victims)) return true;
  }
}

// Without any one of the evicted jobs, there would be too little room, or the eviction would not be legal.
void expect_all_needed(unsigned seed, const std::string& action, MakeRules make, const Decisions& decided) {
  TestCluster c = small_cluster(seed);
  Session& s = c.open();
  const JobId p = c.job_id("p");
  VictimPool pool(s);
  const Rules rules = make(s, pool, p);
  ScenarioPlay play(s);
  std::vector<JobId> jobs;
  for (const EvictDecision& e : decided.evictions)
    if (const JobId job = s.cluster.task(e.task).job; std::find(jobs.begin(), jobs.end(), job) == jobs.end())
      jobs.push_back(job);
  for (JobId spared : jobs) {
    std::vector<TaskId> victims;
    for (const EvictDecision& e : decided.evictions)
      if (s.cluster.task(e.task).job != spared) victims.push_back(e.task);
    EXPECT_FALSE(works(s, play, rules, p, victims))
        << action << " seed " << seed << ": " << s.cluster.job(spared).name << " was evicted for nothing";
  }
}

void compare(const std::string& action, MakeRules make, unsigned seeds) {
  int found = 0, not_there = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    TestCluster plain = small_cluster(seed);
    plain.only({"allocate"});
    if (!plain.cycle().empty()) continue;  // fits without evictions
    TestCluster c = small_cluster(seed);
    c.only({action});
    const bool is_solved = !c.cycle().empty();
    TestCluster twin = small_cluster(seed);
    ASSERT_EQ(is_solved, exists(twin, make)) << action << " seed " << seed;
    if (is_solved) expect_all_needed(seed, action, make, c.decisions());
    ++(is_solved ? found : not_there);
  }
  EXPECT_GT(found, static_cast<int>(seeds) / 20) << "too few clusters in which there is something to find";
  EXPECT_GT(not_there, static_cast<int>(seeds) / 20);
}

TEST(BruteForce, PreemptFindsRoomWhereverThereIsSomeAndTakesNoMoreThanItNeeds) {
  compare("preempt", preempt_rules, 1500);
}
TEST(BruteForce, ReclaimFindsRoomWhereverThereIsSomeAndTakesNoMoreThanItNeeds) {
  compare("reclaim", reclaim_rules, 1500);
}

// A proof of impossibility skips the search and is never wrong.
TEST(Proofs, DecideAsTheFullSearchDoes) {
  int proven = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    TestCluster proving = small_cluster(seed), searching = small_cluster(seed);
    searching.policy().settings.prove_hopeless = false;
    ASSERT_EQ(proving.cycle(), searching.cycle()) << "seed " << seed;
    for (const WaitingJob& w : proving.decisions().waiting)
      for (const SearchReport& r : w.searches) proven += r.end == SearchEnd::kProven ? 1 : 0;
  }
  EXPECT_GT(proven, 200);
}

}  // namespace
}  // namespace muster
