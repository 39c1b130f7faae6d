// The order of queues and the capacity policy, on the worked examples of fairshare.md 11.
#include "plugins/proportion/proportion.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

// Which of the queues "left" and "right" is served first, with the request of the best job of each.
std::string first(TestCluster& c, const std::string& left_job = "", const std::string& right_job = "") {
  Session& s = c.open();
  const auto side = [&](const char* queue, const std::string& job) {
    QueueSide result{.queue = c.queue_id(queue)};
    if (!job.empty()) result.wanted = s.chunk(c.job_id(job), Evicted::kAreGone).wanted;
    return result;
  };
  const int order = s.hooks.queue_order(side("left", left_job), side("right", right_job));
  return order < 0 ? "left" : "right";
}

double fair_gpus(TestCluster& c, const char* queue) {
  return c.open().hooks.fair_share(c.queue_id(queue))[index(Accounted::kGpus)];
}

// A job that uses `gpus` GPUs of the node "n".
void hold(TestCluster& c, const std::string& queue, int gpus) {
  c.running(queue + "-held", {.queue = queue, .gpus = gpus, .node = "n"});
}

TEST(QueueOrder, WithinQuotaBeforePriority) {  // example 20
  TestCluster c;
  c.node("n", {.gpus = 101});
  c.queue("left", {.deserved = 2, .priority = 1}).queue("right", {.deserved = 2, .priority = 0});
  hold(c, "left", 20);
  c.pending("more", {.queue = "left", .gpus = 79}).pending("some", {.queue = "right", .gpus = 2});
  EXPECT_EQ(fair_gpus(c, "left"), 99);
  EXPECT_EQ(fair_gpus(c, "right"), 2);
  EXPECT_EQ(first(c), "right");
}

TEST(QueueOrder, OverUsedMeansInEveryResource) {  // example 21
  TestCluster c;
  c.node("n", {.gpus = 101});
  c.queue("left", {.deserved = 2, .priority = 1}).queue("right", {.deserved = 2, .weight = 0, .priority = 0});
  hold(c, "left", 20);
  hold(c, "right", 3);
  c.pending("more", {.queue = "left", .gpus = 79});
  EXPECT_EQ(fair_gpus(c, "left"), 99);
  EXPECT_EQ(fair_gpus(c, "right"), 2);
  EXPECT_EQ(first(c), "left");
}

TEST(QueueOrder, GpuMemoryCountsByTheSmallestGpu) {  // example 22: 41/50 before 42/50
  TestCluster c;
  c.node("n", {.gpus = 100, .gpu_memory = 10000}).node("o", {.gpus = 1, .gpu_memory = 20000});
  c.queue("right", {.deserved = 50}).queue("left", {.deserved = 50});
  hold(c, "left", 40);
  hold(c, "right", 40);
  c.pending("l", {.queue = "left", .gpu_memory = 5000, .devices = 2});
  c.pending("r", {.queue = "right", .gpu_memory = 10000, .devices = 2});
  EXPECT_EQ(first(c, "l", "r"), "left");
  EXPECT_EQ(first(c), "right");  // without the jobs: equal shares, the older one
}

// Queues that may use exactly their quota, and what they use: milli-cores, bytes, GPUs.
struct Held {
  double cpu = 0, memory = 0, gpus = 0;
};
void queue_holding(TestCluster& c, const std::string& name, const Held& may, const Held& has) {
  c.queue(name, {.deserved = may.gpus,
                 .weight = 0,
                 .cpu = {.quota = may.cpu, .limit = -1, .weight = 0},
                 .memory = {.quota = may.memory, .limit = -1, .weight = 0}});
  c.running(name + "-held", {.queue = name,
                             .gpus = static_cast<int>(has.gpus),
                             .cpu = has.cpu / 1e3,
                             .memory_gb = has.memory / 1e9,
                             .node = "n"});
}

// Compares the share of `may` and `has` with that of a queue that uses `percent` of 100 GPUs.
std::string compared(const Held& may, const Held& has, int percent) {
  TestCluster c;
  c.node("n", {.gpus = 2000});
  queue_holding(c, "left", may, has);
  queue_holding(c, "right", {1, 1, 100}, {2, 2, static_cast<double>(percent)});
  return first(c);
}

TEST(QueueOrder, TheDominantShareIsTheLargestOfThree) {  // example 23: 5/2 of the CPU, beside 12/9 and 19/16
  const Held may{2, 9, 16}, has{5, 12, 19};
  EXPECT_EQ(compared(may, has, 249), "right");
  EXPECT_EQ(compared(may, has, 251), "left");
}

TEST(QueueOrder, UseWithoutAnyQuotaWeighsAThousandfold) {  // example 24: 500 milli-cores of 0
  const auto against = [](double memory) {
    TestCluster c;
    c.node("n");
    queue_holding(c, "left", {0, 0, 0}, {500, 0, 0});
    queue_holding(c, "right", {0, 0, 0}, {0, memory, 0});
    return first(c);
  };
  EXPECT_EQ(against(499), "right");
  EXPECT_EQ(against(501), "left");
}

TEST(QueueOrder, UnlimitedQueuesAreMeasuredByTheCluster) {  // example 25: 700 of 2000
  const auto against = [](int gpus) {
    TestCluster c;
    c.node("n", {.gpus = 2000});
    c.queue("left", {.deserved = -1}).queue("right", {.deserved = 1000});
    hold(c, "left", 700);
    hold(c, "right", gpus);
    return first(c);
  };
  EXPECT_EQ(against(349), "right");
  EXPECT_EQ(against(351), "left");
}

TEST(QueueOrder, OverUsedQueuesComeLast) {
  TestCluster c;
  c.node("n", {.gpus = 100});
  queue_holding(c, "left", {1, 1, 1}, {2, 2, 2});
  queue_holding(c, "right", {1, 1, 1}, {90, 90, 1});
  EXPECT_EQ(first(c), "right");
}

// ---------------------------------------------------------------- capacity: fairshare.md 8

std::optional<JobReason> over_capacity(TestCluster& c, const std::string& job) {
  Session& s = c.open();
  return s.hooks.job_over_capacity(c.job_id(job), s.chunk(c.job_id(job), Evicted::kAreGone).tasks);
}

TEST(Capacity, GpuMemoryCountsByTheLargestGpu) {  // example 28
  const auto with_held = [](int gpus) {
    TestCluster c;
    c.node("n", {.gpus = 8, .gpu_memory = 1000}).node("o", {.gpus = 1, .gpu_memory = 500});
    c.queue("top", {.limit = 3}).queue("mid", {.parent = "top", .limit = 3});
    c.queue("leaf", {.parent = "mid", .limit = 3});
    hold(c, "leaf", gpus);
    c.pending("a", {.queue = "leaf", .gpu_memory = 500});
    return over_capacity(c, "a");
  };
  ASSERT_TRUE(with_held(3));
  EXPECT_EQ(with_held(3)->rule, JobRule::kOverLimit);
  EXPECT_EQ(with_held(3)->wanted, 0.5);
  EXPECT_FALSE(with_held(2));
}

TEST(Capacity, NonPreemptibleJobsStayWithinQuotaAtEveryLevel) {  // example 29
  TestCluster c;
  c.node("n").queue("top", {.deserved = 3}).queue("mid", {.parent = "top", .deserved = 1});
  c.queue("leaf", {.parent = "mid", .deserved = 1}).queue("sibling", {.parent = "mid", .deserved = 1});
  c.running("held", {.queue = "sibling", .preemptible = false, .node = "n"});
  c.pending("a", {.queue = "leaf", .preemptible = false}).pending("b", {.queue = "leaf"});
  const auto reason = over_capacity(c, "a");
  ASSERT_TRUE(reason);
  EXPECT_EQ(reason->rule, JobRule::kOverQuota);
  EXPECT_EQ(reason->queue, c.queue_id("mid"));
  EXPECT_FALSE(over_capacity(c, "b"));
}

TEST(Capacity, ResourcesThatAreNotRequestedAreIgnored) {  // example 30
  TestCluster c;
  c.node("n").queue("q", {.deserved = 5});
  c.running("held", {.queue = "q", .gpus = 6, .preemptible = false, .node = "n"});
  c.pending("a", {.queue = "q", .gpus = 0, .cpu = 1, .memory_gb = 1, .preemptible = false});
  EXPECT_FALSE(over_capacity(c, "a"));
}

TEST(Capacity, ANodeThatWouldChargeTooMuchIsSkipped) {  // placement.md 12, example 17
  TestCluster c;
  c.node("n4", {.gpus = 1, .gpu_memory = 400}).node("n6", {.gpus = 1, .gpu_memory = 600});
  c.node("n20", {.gpus = 1, .gpu_memory = 2000}).queue("q", {.deserved = 0.5});
  c.running("full", {.node = "n20"});
  c.pending("a", {.queue = "q", .gpu_memory = 350, .preemptible = false});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_EQ(c.why("a"),
            "no room for pod a-0: 2 nodes: its share of this node's GPU would exceed the limit or quota of "
            "its queue q; 1 node: not enough GPUs; 3 GPUs: 1 in use by queue default, 2 free");
}

TEST(Reclaim, JobsWithoutAQueueAreOnlyTakenWithOurRules) {
  const auto decided = [](const Compatibility& compatibility) {
    Config config;
    config.params.compatibility = compatibility;
    TestCluster c(config);
    c.only({"reclaim"}).node("n", {.gpus = 4});
    c.queue("mine", {.deserved = 1, .weight = 0}).queue("theirs", {.deserved = 2, .weight = 0});
    c.running("astray", {.queue = "gone", .node = "n"});
    c.running("surplus", {.queue = "theirs", .tasks = 3, .min = 1, .node = "n"});
    c.pending("large", {.queue = "mine", .gpus = 2, .cpu = 1});
    c.pending("small", {.queue = "mine", .gpus = 1, .cpu = 2});
    return c.cycle();
  };
  EXPECT_EQ(decided({}), "evict astray-0; pipeline small-0 n");
  // A job above its share is not tried. Had it been tried in vain, KAI's comparison would skip the other.
  EXPECT_EQ(decided(Compatibility::kai_exact()), "evict surplus-2; pipeline small-0 n");
}

}  // namespace
}  // namespace muster
