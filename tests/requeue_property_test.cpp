// Properties of requeue on random clusters whose jobs declare random expected runtimes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/session.hpp"
#include "engine/search/requeue_settings.hpp"
#include "policy/policy.hpp"
#include "report/report.hpp"
#include "sim/embedded_cluster.hpp"
#include "sim/rounds.hpp"
#include "tests/random_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// As in the default configuration.
constexpr Duration kDefaultDelay = 5min;

using Numbers = std::mt19937_64;

int below(Numbers& numbers, int end) { return static_cast<int>(numbers() % static_cast<unsigned>(end)); }

template <class T>
T one_of(Numbers& numbers, std::initializer_list<T> values) {
  return values.begin()[below(numbers, static_cast<int>(values.size()))];
}

std::string minutes(int count) { return std::to_string(count) + "m"; }

// Most jobs declare an expected runtime, some also a cooldown.
JobSpec random_job(Numbers& numbers) {
  JobSpec job{.tasks = one_of(numbers, {1, 1, 1, 2, 3}),
              .gpus = one_of(numbers, {1, 1, 2}),
              .priority = one_of(numbers, {40, 50, 50, 75}),
              .preemptible = below(numbers, 8) != 0,
              .age = std::chrono::minutes(below(numbers, 120))};
  job.min = job.tasks - below(numbers, job.tasks);
  if (below(numbers, 4) != 0) job.expected_runtime = minutes(1 + below(numbers, 30));
  if (below(numbers, 3) == 0) job.requeue_delay = minutes(1 + below(numbers, 20));
  return job;
}

// Four leaf queues with random quotas and weights, three nodes full of jobs, most of them in two of the
// queues, and as many pending jobs.
Cluster contested_cluster(unsigned seed) {
  Numbers numbers(seed);
  TestCluster c;
  for (const char* top : {"x", "y"}) {
    c.queue(top, {.deserved = static_cast<double>(below(numbers, 8)),
                  .weight = static_cast<double>(below(numbers, 3))});
    for (const char* leaf : {"0", "1"})
      c.queue(top + std::string(leaf), {.parent = top,
                                        .deserved = static_cast<double>(below(numbers, 4)),
                                        .weight = static_cast<double>(below(numbers, 3))});
  }
  int count = 0;
  for (const char* node : {"n0", "n1", "n2"}) {
    int free = one_of(numbers, {2, 4, 6});
    c.node(node, {.gpus = free});
    while (free > 0) {
      JobSpec job = random_job(numbers);
      job.queue = one_of(numbers, {"x0", "x0", "y0", "y0", "x1", "y1"});
      job.node = node;
      if (job.tasks * job.gpus > free) job.tasks = 1, job.min = 1, job.gpus = 1;
      free -= job.tasks * job.gpus;
      c.running("r" + std::to_string(count++), job);
    }
  }
  for (int i = 0; i < 8; ++i) {
    JobSpec job = random_job(numbers);
    job.queue = one_of(numbers, {"x0", "x1", "y0", "y1"});
    c.pending("p" + std::to_string(count++), job);
  }
  return c.cluster();
}

Cluster any_cluster_without_opt_in(unsigned seed) {
  Numbers numbers(seed);
  RandomCluster random;
  for (auto& [list, most] : {std::pair(&random.nodes, 4), {&random.queues, 4}, {&random.jobs, 14}})
    for (int i = 1 + below(numbers, most); i > 0; --i) list->push_back(numbers());
  return cluster_of(objects_of(random));
}

Policy policy_of(const Config& config) {
  std::vector<Error> errors;
  return policy::make_policy(config, errors);
}

Policy default_policy() { return policy_of(Config()); }

Policy policy_without(const std::string& action) {
  Config config;
  std::erase(config.actions, action);
  return policy_of(config);
}

Policy policy_with(const std::string& preemptors) {
  Config config;
  config.action_arguments["requeue"] = {.name = "requeue", .arguments = {{"contenders", preemptors}}};
  return policy_of(config);
}

// One minute passes between two cycles.
template <class Look>
void play(Cluster& cluster, const Policy& policy, int cycles, Look look,
          TimePoint now = random_cluster_now()) {
  EmbeddedCluster embedded;
  for (int cycle = 0; cycle < cycles; ++cycle, now += 1min) {
    const Decisions d = run_cycle(cluster, policy, now);
    look(d, now);
    embedded.carry_out(cluster, d, now);
    embedded.update(cluster, now);
  }
}

std::vector<RequeueAttempt> commits(const Decisions& d) {
  std::vector<RequeueAttempt> commits = d.requeue->attempts;
  std::erase_if(commits, [](const RequeueAttempt& a) { return !a.found_room; });
  return commits;
}

Duration delay_of(const Cluster& cluster, JobId job) {
  return requeue_delay(cluster, job).given.value_or(kDefaultDelay);
}

// Without the later actions, which may take what requeue freed.
Policy policy_up_to_requeue() {
  Policy policy = default_policy();
  std::erase_if(policy.actions, [](const auto& action) {
    return action->name() == "reclaim" || action->name() == "preempt";
  });
  return policy;
}

TEST(RequeueProperties, ACommitPlacesItsPreemptor) {
  const Policy policy = policy_up_to_requeue();
  for (unsigned seed = 0; seed < 60; ++seed) {
    Cluster cluster = contested_cluster(seed);
    play(cluster, policy, 20, [&](const Decisions& d, TimePoint) {
      for (const RequeueAttempt& commit : commits(d)) {
        const bool is_placed = std::ranges::any_of(d.pipelined, [&](const PipelineDecision& p) {
          return cluster.task(p.task).job == commit.preemptor;
        });
        EXPECT_TRUE(is_placed) << "seed " << seed << " " << cluster.job(commit.preemptor).name;
      }
    });
  }
}

TEST(RequeueProperties, NoJobIsRequeuedTwiceWithinTheDelay) {
  const Policy policy = default_policy();
  int requeued = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Cluster cluster = contested_cluster(seed);
    std::map<JobId, TimePoint> last;
    play(cluster, policy, 20, [&](const Decisions& d, TimePoint now) {
      for (const RequeueAttempt& commit : commits(d))
        for (const RequeueAttempt::Victim& victim : commit.victims) {
          ++requeued;
          const auto before = last.find(victim.job);
          const bool is_again = before != last.end() && before->second != now;
          EXPECT_TRUE(!is_again || now - before->second >= delay_of(cluster, victim.job))
              << "seed " << seed << " " << cluster.job(victim.job).name;
          last[victim.job] = now;
        }
    });
  }
  EXPECT_GT(requeued, 50);
}

// How often each job is requeued in the following minutes.
std::map<JobId, int> requeues(Cluster& cluster, const Policy& policy, int minutes,
                              TimePoint from = random_cluster_now()) {
  std::map<JobId, int> times;
  const auto count = [&](const Decisions& d, TimePoint) {
    std::set<JobId> victims;
    for (const RequeueAttempt& commit : commits(d))
      for (const RequeueAttempt::Victim& victim : commit.victims) victims.insert(victim.job);
    for (JobId job : victims) ++times[job];
  };
  play(cluster, policy, minutes, count, from);
  return times;
}

constexpr int kMinutes = 200;

void expect_turns_take_their_time(const Cluster& cluster, const std::map<JobId, int>& requeued,
                                  unsigned seed) {
  for (const auto& [job, times] : requeued)
    EXPECT_LE(times, std::chrono::minutes(kMinutes) / delay_of(cluster, job) + 1)
        << "seed " << seed << " " << cluster.job(job).name;
}

TEST(RequeueProperties, WithConstantDemandRequeueComesToRest) {
  const Policy policy = default_policy();
  for (unsigned seed = 0; seed < 30; ++seed) {
    Cluster cluster = contested_cluster(seed);
    expect_turns_take_their_time(cluster, requeues(cluster, policy, kMinutes), seed);
    const TimePoint rest = random_cluster_now() + std::chrono::minutes(kMinutes);
    EXPECT_TRUE(requeues(cluster, policy, kMinutes / 2, rest).empty()) << "seed " << seed;
  }
}

TEST(RequeueProperties, EqualsThatTakeTurnsDoSoAtMostOncePerDelay) {
  const Policy policy = policy_with("scheduling-order");
  int most = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    Cluster cluster = contested_cluster(seed);
    const std::map<JobId, int> requeued = requeues(cluster, policy, kMinutes);
    expect_turns_take_their_time(cluster, requeued, seed);
    for (const auto& [job, times] : requeued) most = std::max(most, times);
  }
  EXPECT_GE(most, 3);
}

// ---------------------------------------------------------------- no effect unless a job opts in

// All decisions and reports, except those of the action itself.
std::string told(const Policy& policy, Cluster cluster) {
  const RoundOptions run{.cycles = 4, .now = random_cluster_now(), .interval = 1min};
  std::string text;
  const auto report =
      report::json_report(cluster, {.run = run, .filter = {}}, [&](std::string_view part) { text += part; });
  const Round last = run_rounds(cluster, policy, run, [&](const Round& round) {
    report->add(round);
    return true;
  });
  report->finish(last, std::nullopt);
  auto json = nlohmann::ordered_json::parse(text);
  for (auto& round : json["rounds"]) round.erase("requeue");
  return json.dump(1);
}

TEST(RequeueProperties, WithoutAnyOptInTheActionChangesNothing) {
  const Policy with = policy_without(""), without = policy_without("requeue");
  for (unsigned seed = 0; seed < 100; ++seed) {
    const Cluster cluster = any_cluster_without_opt_in(seed);
    ASSERT_EQ(told(with, cluster), told(without, cluster)) << "seed " << seed;
  }
}

// ---------------------------------------------------------------- only what preempt or reclaim may do

// The last plugin of a cycle: it sees only what all others allowed. For each preemptor it records the victims
// that the rules of preempt and reclaim, including their gates, allow, and the last allowed scenario.
class Witness {
 public:
  struct Rules {
    std::set<std::pair<JobId, JobId>> victims;       // preemptor, victim
    std::map<JobId, std::set<TaskId>> last_allowed;  // by preemptor
    bool allow(JobId preemptor, const RequeueAttempt::Victim& victim) const {
      const auto scenario = last_allowed.find(preemptor);
      return victims.contains({preemptor, victim.job}) && scenario != last_allowed.end() &&
             std::ranges::all_of(victim.tasks, [&](TaskId t) { return scenario->second.contains(t); });
    }
  };

  PluginFactory factory() {
    return {"witness", [this] { return std::make_unique<Ears>(*this); }};
  }
  const Rules& preempt() const { return preempt_; }
  const Rules& reclaim() const { return reclaim_; }
  // Preemptors whose queue would, by a scenario that takes from other queues, use more than its fair share or
  // more than before.
  const std::set<JobId>& gained_too_much() const { return gained_too_much_; }
  void forget() { *this = {}; }

 private:
  struct Ears final : Plugin {
    explicit Ears(Witness& of) : witness(of) {}
    void open(Session& s, Hooks& hooks) override { witness.listen(s, hooks); }
    Witness& witness;
  };

  void listen(Session& s, Hooks& hooks) {
    hooks.search_begins.add([this, &s](JobId preemptor) { held_before_ = held(s, preemptor); });
    hooks.preempt_victim.add([this, &s](JobId preemptor, JobId victim) {
      const bool is_outranked = s.cluster.job(victim).priority < s.cluster.job(preemptor).priority;
      const bool is_gated = s.hooks.job_over_quota(preemptor, s.chunk(preemptor).tasks).has_value();
      if (is_outranked && !is_gated) preempt_.victims.emplace(preemptor, victim);
      return std::optional<VictimRefusal>();
    });
    hooks.reclaim_victim.add([this, &s](JobId preemptor, JobId victim) {
      const bool is_gated = !s.hooks.may_reclaim(preemptor) ||
                            s.hooks.reclaim_from_queue(preemptor, s.cluster.job(victim).queue).has_value();
      if (!is_gated) reclaim_.victims.emplace(preemptor, victim);
      return std::optional<VictimRefusal>();
    });
    hooks.preempt_scenario.add([this](const Scenario& scenario) { return note(scenario, preempt_); });
    hooks.reclaim_scenario.add([this, &s](const Scenario& scenario) {
      check_gain(s, scenario.preemptor);
      return note(scenario, reclaim_);
    });
  }

  static Shares held(const Session& s, JobId job) {
    return s.cluster.use(s.cluster.job(job).queue).allocated.shares();
  }

  void check_gain(const Session& s, JobId preemptor) {
    const Shares after = held(s, preemptor), fair = s.hooks.fair_share(s.cluster.job(preemptor).queue);
    for (Accounted r : kAccounted)
      if (const std::size_t i = index(r); after[i] > std::max(fair[i], held_before_[i]) + 1e-6)
        gained_too_much_.insert(preemptor);
  }

  static std::optional<VictimRefusal> note(const Scenario& scenario, Rules& rules) {
    std::set<TaskId>& tasks = rules.last_allowed[scenario.preemptor];
    tasks.clear();
    for (const Scenario::Victim& victim : scenario.victims)
      tasks.insert(victim.tasks.begin(), victim.tasks.end());
    return std::nullopt;
  }

  Rules preempt_, reclaim_;
  Shares held_before_{};
  std::set<JobId> gained_too_much_;
};

// Runs cycles up to requeue, with a recording plugin.
template <class Look>
void play_with_witness(Look look) {
  Policy policy = policy_up_to_requeue();
  Witness witness;
  policy.plugins.push_back(witness.factory());
  for (unsigned seed = 0; seed < 60; ++seed) {
    Cluster cluster = contested_cluster(seed);
    play(cluster, policy, 20, [&](const Decisions& d, TimePoint) {
      for (const RequeueAttempt& commit : commits(d)) look(cluster, commit, witness, seed);
      witness.forget();
    });
  }
}

TEST(RequeueProperties, EveryVictimMayBeTakenByPreemptOrReclaimForTheSamePreemptor) {
  int own = 0, others = 0;
  play_with_witness(
      [&](const Cluster& cluster, const RequeueAttempt& commit, const Witness& witness, unsigned seed) {
        for (const RequeueAttempt::Victim& victim : commit.victims) {
          const bool is_own = cluster.job(victim.job).queue == cluster.job(commit.preemptor).queue;
          ++(is_own ? own : others);
          EXPECT_TRUE((is_own ? witness.preempt() : witness.reclaim()).allow(commit.preemptor, victim))
              << "seed " << seed << ": " << cluster.job(victim.job).name << " for "
              << cluster.job(commit.preemptor).name;
        }
      });
  EXPECT_GT(own, 10);
  EXPECT_GT(others, 10);
}

// If a commit takes from other queues, the preemptor's queue ends within its fair share, or uses no more than
// before. Otherwise no other queue loses anything.
TEST(RequeueProperties, NoQueueGainsMoreThanItsFairShare) {
  int from_others = 0;
  play_with_witness(
      [&](const Cluster& cluster, const RequeueAttempt& commit, const Witness& witness, unsigned seed) {
        from_others += std::ranges::any_of(commit.victims, [&](const RequeueAttempt::Victim& v) {
          return cluster.job(v.job).queue != cluster.job(commit.preemptor).queue;
        });
        EXPECT_FALSE(witness.gained_too_much().contains(commit.preemptor))
            << "seed " << seed << " " << cluster.job(commit.preemptor).name;
      });
  EXPECT_GT(from_others, 10);
}

}  // namespace
}  // namespace muster
