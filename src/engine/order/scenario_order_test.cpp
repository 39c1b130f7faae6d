// Compares the order of a scenario, walked in runs, with a job order that contains every job.
#include "engine/order/scenario_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>

#include "engine/order/waiting_jobs.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// Adds pending jobs of a few sizes and priorities in a tree of queues.
void fill(TestCluster& c, std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  c.node("n1", {.gpus = 8});
  std::vector<std::string> leaves;
  for (int top = 0; top < 2; ++top) {
    const std::string parent = "top" + std::to_string(top);
    c.queue(parent, {.deserved = static_cast<double>(below(8))});
    for (int i = 0; i < 2; ++i) {
      leaves.push_back(parent + "-" + std::to_string(i));
      c.queue(leaves.back(), {.parent = parent, .deserved = static_cast<double>(below(5))});
    }
  }
  for (int j = 0; j < 30; ++j)
    c.pending("j" + std::to_string(j), {.queue = leaves[random() % leaves.size()],
                                        .tasks = 1 + below(2),
                                        .gpus = 1 + below(2),
                                        .priority = 50 + 10 * below(2)});
}

TEST(ScenarioOrder, ServesContestantsAsTheFullOrderDoes) {
  int differ = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    TestCluster c;
    fill(c, random);
    Session& s = c.open();
    std::vector<Contestant> contestants;
    std::vector<JobId> all = s.waiting();
    std::sort(all.begin(), all.end(),
              [&](JobId a, JobId b) { return age(s.cluster.job(a)) < age(s.cluster.job(b)); });
    for (JobId j : all)
      if (random() % 4 == 0) contestants.push_back({s.entry(j), s.chunk(j).wanted});
    const auto is_contestant = [&](JobId j) {
      return std::any_of(contestants.begin(), contestants.end(),
                         [&](const auto& each) { return each.job.job == j; });
    };

    std::vector<JobId> expected, served, whole, line;
    // Inserts queue by queue, the best job first: the order of insertion decides between equal queues.
    JobOrder full(s);
    std::vector<JobId> best_first = all;
    std::stable_sort(best_first.begin(), best_first.end(), [&](JobId a, JobId b) {
      const QueueId x = s.cluster.job(a).queue, y = s.cluster.job(b).queue;
      return x != y ? s.cluster.queue(x).meta.created < s.cluster.queue(y).meta.created
                    : s.job_before(s.entry(a), s.entry(b));
    });
    for (JobId j : best_first) full.push(j);
    while (!full.empty()) whole.push_back(full.pop());
    std::ranges::copy_if(whole, std::back_inserter(expected), is_contestant);

    const WaitingLine waiting(s);
    ScenarioOrder order(s, waiting, ScenarioOrder::Filled::kByQueue);
    order.start(contestants);
    for (JobId j = order.pop(); j.valid(); j = order.pop()) served.push_back(j);
    ASSERT_EQ(served, expected) << "seed " << seed;
    order.start(contestants);
    for (JobId j = order.pop_any(); j.valid(); j = order.pop_any()) line.push_back(j);
    ASSERT_EQ(line, whole) << "seed " << seed;

    std::vector<JobId> as_actions, line_by_age;
    for (JobOrder order_of_action = waiting_jobs(s, "allocate"); !order_of_action.empty();)
      as_actions.push_back(order_of_action.pop());
    ScenarioOrder by_age(s, waiting, ScenarioOrder::Filled::kByAge);
    by_age.start(contestants);
    for (JobId j = by_age.pop_any(); j.valid(); j = by_age.pop_any()) line_by_age.push_back(j);
    ASSERT_EQ(line_by_age, as_actions) << "seed " << seed;
    differ += as_actions != whole;
  }
  EXPECT_GT(differ, 0) << "the order of insertion makes no difference";
}

}  // namespace
}  // namespace muster
