// What selectors of claims may cost, how claims that cost more wait, and what is kept between cycles.
#include "plugins/devices/selectors.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "engine/search/search_memory.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using plugins::kStepsPerClaim;
using plugins::kStepsPerClaimAndDevice;
using plugins::kStepsPerCycle;
using plugins::kStepsPerNamespace;
using testing::HasSubstr;

constexpr const char* kDriver = "gpu.example.com";
// Evaluations under way end after the limit.
constexpr std::int64_t kOneEvaluation = 101'000;

std::string model_is(const std::string& model) {
  return fmt::format("device.attributes['{}'].model == '{}'", kDriver, model);
}

std::string numbers(int count) {
  std::string items;
  for (int i = 0; i < count; ++i) items += fmt::format("{}{}", i > 0 ? "," : "", i);
  return "[" + items + "]";
}

// Always true. With 70 items, as in an attack that was tried, some ten thousand steps on each device. Numbers
// make different selectors.
std::string long_way_to_true(int number, int items = 70) {
  return fmt::format("{0}.all(a, {0}.all(b, a + b + {1} < 1000000 + size(device.driver)))", numbers(items),
                     number);
}

std::string costly(int number) { return long_way_to_true(number) + " && false"; }

DeviceRequest request(std::vector<std::string> selectors) {
  return {.name = "r", .device_class = kDriver, .selectors = std::move(selectors)};
}

// Nodes with devices, and jobs of one pod with a claim of its own.
class SelectorCluster : public TestCluster {
 public:
  explicit SelectorCluster(Config config = {}, bool evicts = false) : TestCluster(std::move(config)) {
    if (!evicts) only({"allocate"});
    cluster().apply(DeviceClassObject{.meta = {.name = kDriver}});
  }
  SelectorCluster& nodes(int count, int devices, const std::string& model = "A") {
    for (int n = 0; n < count; ++n) {
      node("n" + std::to_string(n), {.gpus = 0});
      slice("n" + std::to_string(n), devices, model);
    }
    return *this;
  }
  SelectorCluster& slice(const std::string& node, int devices, const std::string& model) {
    ResourceSliceObject made{
        .meta = {.name = node}, .driver = kDriver, .pool = node, .reach = {.node = node}};
    for (int d = 0; d < devices; ++d)
      made.devices.push_back({.name = std::to_string(d), .attributes = {{.name = "model", .text = model}}});
    cluster().apply(std::move(made));
    return *this;
  }
  SelectorCluster& job(const std::string& name, DeviceRequest wanted) {
    ResourceClaimObject claim{.meta = {.ns = "default", .name = name, .uid = name},
                              .requests = {std::move(wanted)}};
    claim.meta.labels = {{"kai.scheduler/queue", "default"}};
    cluster().apply(std::move(claim));
    pending(name, {.gpus = 0, .constraints = {.resource_claims = {{.name = "c", .claim = name}}}});
    return *this;
  }
  SelectorCluster& job(const std::string& name, const std::string& selector) {
    return job(name, request({selector}));
  }
  SelectorCluster& costly_jobs(int count) {
    for (int i = 0; i < count; ++i) job("costly-" + std::to_string(i), costly(i));
    return *this;
  }
  // The youngest job, in a namespace of its own.
  SelectorCluster& neighbour(const std::string& selector) {
    const Meta meta{.ns = "neighbours", .name = "neighbour", .uid = "neighbour", .created = now()};
    ResourceClaimObject claim{.meta = meta, .requests = {request({selector})}};
    claim.meta.labels = {{"kai.scheduler/queue", "default"}};
    cluster().apply(std::move(claim));
    cluster().apply(PodGroupObject{.meta = meta, .queue = "default", .min_member = 1});
    PodObject pod{.meta = meta, .phase = PodPhase::kPending, .scheduler = "kai-scheduler"};
    pod.pod_group = "neighbour";
    pod.constraints.resource_claims = {{.name = "c", .claim = "neighbour"}};
    cluster().apply(std::move(pod));
    return *this;
  }
  std::int64_t steps() { return selector_results().steps(); }
};

TEST(Selectors, CostlyClaimsOfATenantDoNotDelayOthers) {
  for (const bool as_kai : {false, true}) {
    Config config;
    if (as_kai) config.params.compatibility = Compatibility::kai_exact();
    SelectorCluster c(config);
    c.nodes(60, 8).costly_jobs(15).job("ordinary", model_is("A"));
    EXPECT_EQ(c.cycle(), "bind ordinary-0 n0") << c.why("ordinary");
    EXPECT_LT(c.steps(), kStepsPerCycle);
    const std::int64_t limit = kStepsPerClaim + 480 * kStepsPerClaimAndDevice;
    EXPECT_LT(c.steps(), 15 * (limit + kOneEvaluation));
    EXPECT_THAT(c.why("costly-14"), HasSubstr("the selectors of claim costly-14 take "));
    EXPECT_THAT(c.why("costly-14"), HasSubstr("steps or more, the limit is 340000; use simpler selectors"));
    EXPECT_EQ(c.cycle(), "");
    EXPECT_EQ(c.steps(), 0) << "what costs too much costs it once";
    EXPECT_THAT(c.why("costly-14"), HasSubstr("the limit is 340000"));
    EXPECT_FALSE(c.decisions().is_unfinished);
  }
}

TEST(Selectors, EachNamespaceHasItsPartOfACycle) {
  SelectorCluster c;
  c.nodes(60, 8).costly_jobs(40).job("ordinary", model_is("A")).neighbour(model_is("A"));
  EXPECT_EQ(c.cycle(), "bind neighbour n0");
  EXPECT_GT(c.steps(), kStepsPerCycle);
  EXPECT_LT(c.steps(), kStepsPerCycle + kStepsPerNamespace + kOneEvaluation);
  EXPECT_THAT(
      c.why("ordinary"),
      HasSubstr(
          "the selectors of claim ordinary are not evaluated on all devices yet; the next cycle continues"));
  EXPECT_TRUE(c.decisions().is_unfinished);
  const std::uint64_t progress = c.selector_results().progress();
  EXPECT_EQ(c.cycle(), "bind ordinary-0 n0") << "the next cycle continues where this one ended";
  EXPECT_GT(c.selector_results().progress(), progress);
  EXPECT_LT(c.steps(), kStepsPerCycle);
  EXPECT_FALSE(c.decisions().is_unfinished);
}

TEST(Selectors, ASelectorBeyondTheLimitOfOneEvaluationIsEvaluatedOnce) {
  SelectorCluster c;
  c.nodes(2, 1).job("a", long_way_to_true(1, 200));
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(
      c.why("a"),
      HasSubstr("claim a (the expression takes more than 100000 steps): its devices cannot be selected"));
  const std::int64_t first = c.steps();
  EXPECT_GT(first, 100'000);
  c.cycle();
  EXPECT_EQ(c.steps(), 0);
}

TEST(Selectors, ConstantPartsAreEvaluatedOncePerSelector) {
  SelectorCluster c;
  const std::string constant = numbers(40) + ".all(a, " + numbers(40) + ".all(b, a + b < 1000))";
  c.nodes(60, 8).job("a", constant + " && " + model_is("B"));
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("a"), HasSubstr("claim a needs 1 matching device, 0 free"));
  EXPECT_LT(c.steps(), 480 * 50 + 20'000);
}

TEST(Selectors, SelectorsOfClassesCountForNoClaim) {
  SelectorCluster c;
  c.cluster().apply(DeviceClassObject{.meta = {.name = kDriver}, .selectors = {long_way_to_true(1)}});
  c.nodes(6, 4).job("a", model_is("A"));
  EXPECT_EQ(c.cycle(), "bind a-0 n0");
  c.job("b", model_is("B"));
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("b"), HasSubstr("claim b needs 1 matching device, 0 free"));
}

TEST(Selectors, AnAlternativeThatCostsTooMuchIsNotPassedOver) {
  SelectorCluster c;
  const DeviceRequest costs_too_much = request({long_way_to_true(1), long_way_to_true(2)});
  c.nodes(2, 8).job("a", {.name = "r", .alternatives = {costs_too_much, request({model_is("A")})}});
  EXPECT_EQ(c.cycle(), "");
  EXPECT_THAT(c.why("a"), HasSubstr("the limit is 108000; use simpler selectors"));
  c.job("b", {.name = "r", .alternatives = {request({model_is("B")}), request({model_is("A")})}});
  EXPECT_EQ(c.cycle(), "bind b-0 n0");
}

TEST(Selectors, ASearchIsRepeatedAfterAnUnfinishedCycle) {
  SelectorCluster c;
  c.nodes(1, 1).job("a", model_is("A"));
  SearchMemory memory;
  memory.action_begins("preempt");
  memory.remember_end(c.open(), "preempt", c.job_id("a"), {});
  EXPECT_NE(memory.recall_end(c.open(), "preempt", c.job_id("a")), nullptr);
  c.selector_results().note_unfinished();
  EXPECT_EQ(memory.recall_end(c.open(), "preempt", c.job_id("a")), nullptr);
}

// ---- what is kept

TEST(Selectors, OnlyChangedSlicesAreEvaluatedAgain) {
  SelectorCluster c;
  c.nodes(10, 8).job("a", model_is("B"));
  c.cycle();
  const std::int64_t all = c.steps();
  EXPECT_GT(all, 0);
  c.cycle();
  EXPECT_EQ(c.steps(), 0);
  for (int n = 0; n < 10; ++n) c.slice("n" + std::to_string(n), 8, "A");  // as they were
  c.cycle();
  EXPECT_EQ(c.steps(), 0);
  c.slice("n7", 8, "B");
  EXPECT_EQ(c.cycle(), "bind a-0 n7");
  EXPECT_GT(c.steps(), 0);
  EXPECT_LT(c.steps(), all / 5);
}

TEST(Selectors, ClaimsWithTheSameSelectorShareTheResults) {
  SelectorCluster one, many;
  one.nodes(4, 8).job("a", model_is("B"));
  many.nodes(4, 8);
  for (int i = 0; i < 20; ++i) many.job("a" + std::to_string(i), model_is("B"));
  one.cycle(), many.cycle();
  EXPECT_EQ(one.steps(), many.steps());
}

// The same clusters with results that are kept and results that are not: only the work differs.
TEST(Selectors, KeptResultsChangeNoDecision) {
  std::int64_t with = 0, without = 0;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    SelectorCluster kept({}, true), fresh({}, true);
    const auto both = [&](auto change) { change(kept), change(fresh); };
    const auto model = [&] { return std::string(1, "ABC"[below(3)]); };
    both([](SelectorCluster& c) { c.nodes(4, 2); });
    for (int round = 0; round < 8; ++round) {
      const std::string name = "j" + std::to_string(round), wanted = model(), now = model();
      const int kind = below(6), node = below(4), devices = 1 + below(3);
      const std::string selector = kind == 0   ? long_way_to_true(below(3), 150) + " && " + model_is(wanted)
                                   : kind == 1 ? "device.attributes['gpu.example.com'].color == 'red'"
                                   : kind == 2 ? "1 / 0 == 1 || " + model_is(wanted)
                                               : model_is(wanted);
      both([&](SelectorCluster& c) {
        c.job(name, selector);
        c.slice("n" + std::to_string(node), devices, now);
      });
      fresh.selector_results() = SelectorResults();
      EXPECT_EQ(kept.cycle(), fresh.cycle()) << "seed " << seed << " round " << round;
      for (int i = 0; i <= round; ++i)
        EXPECT_EQ(kept.why("j" + std::to_string(i)), fresh.why("j" + std::to_string(i))) << "seed " << seed;
      with += kept.steps(), without += fresh.steps();
    }
  }
  EXPECT_LT(with, without * 3 / 4);
}

}  // namespace
}  // namespace muster
