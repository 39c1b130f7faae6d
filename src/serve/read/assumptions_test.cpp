// Writes that the watch has not shown yet.
#include "serve/read/assumptions.hpp"

#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

// A pending pod, and a running pod on a node with two GPUs.
class AssumptionsTest : public testing::Test {
 protected:
  AssumptionsTest() {
    c.node("n1", {.gpus = 2}).running("old", {.node = "n1"}).pending("new");
    c.cluster().refresh(c.now());
  }
  // The pod as the watch showed it before our write.
  PodObject pod(const std::string& name, PodPhase phase = PodPhase::kPending) {
    PodObject object{.meta = {.ns = "default", .name = name, .uid = c.cluster().task(c.task_id(name)).uid},
                     .phase = phase,
                     .scheduler = "kai-scheduler"};
    object.pod_group = name.substr(0, name.find('-'));
    object.requests = {{"nvidia.com/gpu", kOneGpu}};
    return object;
  }
  void see(PodObject object) {
    assumptions.correct(object);
    assumptions.settle_bind(c.cluster(), c.cluster().apply(std::move(object)));
  }
  std::int64_t idle() { return c.cluster().idle().at(kGpu, c.node_id("n1")); }

  TestCluster c;
  Assumptions assumptions;
};

TEST_F(AssumptionsTest, AnOldEventDoesNotUndoABind) {
  assumptions.bind(c.cluster(), c.task_id("new-0"), c.node_id("n1"), {});
  see(pod("new-0"));
  EXPECT_EQ(c.status("new-0"), TaskStatus::kBinding);
  EXPECT_EQ(idle(), 0);
}

TEST_F(AssumptionsTest, ABindEndsWhenThePodIsBound) {
  assumptions.bind(c.cluster(), c.task_id("new-0"), c.node_id("n1"), {});
  PodObject bound = pod("new-0");
  bound.node = "n1";
  see(std::move(bound));
  EXPECT_EQ(c.status("new-0"), TaskStatus::kBound);
  EXPECT_EQ(assumptions.binds_open(), 0U);
}

TEST_F(AssumptionsTest, AFailedBindLeavesThePodPending) {
  const std::string uid = c.cluster().task(c.task_id("new-0")).uid;
  assumptions.bind(c.cluster(), c.task_id("new-0"), c.node_id("n1"), {});
  assumptions.end_bind(c.cluster(), "default", "new-0", "another");
  EXPECT_EQ(c.status("new-0"), TaskStatus::kBinding);
  assumptions.end_bind(c.cluster(), "default", "new-0", uid);
  EXPECT_EQ(c.status("new-0"), TaskStatus::kPending);
  EXPECT_EQ(idle(), kOneGpu);
}

TEST_F(AssumptionsTest, ANewPodOfTheSameNameIsNotBound) {
  assumptions.bind(c.cluster(), c.task_id("new-0"), c.node_id("n1"), {});
  PodObject successor = pod("new-0");
  successor.meta.uid = "another";
  see(std::move(successor));
  EXPECT_EQ(c.status("new-0"), TaskStatus::kPending);
}

TEST_F(AssumptionsTest, AnOldEventDoesNotUndoAnEviction) {
  assumptions.evict(c.cluster(), c.task_id("old-0"), {}, c.now());
  PodObject before = pod("old-0", PodPhase::kRunning);
  before.node = "n1";
  see(before);
  EXPECT_EQ(c.status("old-0"), TaskStatus::kReleasing);
  assumptions.end_eviction(c.cluster(), "default", "old-0", before.meta.uid);
  EXPECT_EQ(c.status("old-0"), TaskStatus::kRunning);
}

TEST_F(AssumptionsTest, AFailedVictimMayBeEvictedLater) {
  const JobId preemptor = c.cluster().find_job("default", "new"),
              victim = c.cluster().find_job("default", "old");
  c.cluster().record_displaced(preemptor, victim);
  assumptions.evict(c.cluster(), c.task_id("old-0"), preemptor, c.now());
  assumptions.end_eviction(c.cluster(), "default", "old-0", c.cluster().task(c.task_id("old-0")).uid);
  EXPECT_TRUE(c.cluster().job(preemptor).displaced_for_it.empty());
}

TEST_F(AssumptionsTest, ADeletedPodLeavesNothingBehind) {
  assumptions.bind(c.cluster(), c.task_id("new-0"), c.node_id("n1"), {});
  assumptions.evict(c.cluster(), c.task_id("old-0"), {}, c.now());
  for (const char* name : {"new-0", "old-0"}) {
    assumptions.forget_pod(c.cluster(), "default", name);
    c.cluster().remove("Pod", "default", name);
  }
  EXPECT_EQ(assumptions.binds_open() + assumptions.evictions_open(), 0U);
  EXPECT_EQ(idle(), 2 * kOneGpu);
}

TEST_F(AssumptionsTest, APodBelongsToItsGroupBeforeItNamesIt) {
  PodObject lone = pod("new-0");
  lone.pod_group.clear();
  assumptions.join(lone.meta.uid, "old", "");
  see(lone);
  EXPECT_EQ(c.cluster().task(c.task_id("new-0")).job, c.cluster().find_job("default", "old"));
  see(pod("new-0"));  // it names "new" now, which takes precedence
  EXPECT_EQ(assumptions.group_of(lone.meta.uid), nullptr);
}

TEST_F(AssumptionsTest, AnnotationsCountBeforeTheWatchShowsThem) {
  const std::string start = "2025-06-01T12:00:00Z";
  assumptions.annotate("default", "old", {{keys::kLastStart, start}, {keys::kStale, std::nullopt}});
  PodGroupObject before{.meta = {.ns = "default", .name = "old"}};
  before.stale_since = c.now();
  assumptions.correct(before);
  EXPECT_EQ(before.last_start, parse_time(start));
  EXPECT_FALSE(before.stale_since);
  PodGroupObject after{.meta = {.ns = "default", .name = "old"}};
  after.last_start = parse_time(start);
  assumptions.correct(after);
  PodGroupObject later{.meta = {.ns = "default", .name = "old"}};
  assumptions.correct(later);
  EXPECT_FALSE(later.last_start);
}

}  // namespace
}  // namespace muster::serve
