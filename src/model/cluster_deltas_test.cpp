// Objects are added, changed and removed in any order, with references to objects that are not there yet.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/sums_text.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

NodeObject node(std::string name, int gpus = 4) {
  return {.meta = {.name = std::move(name)},
          .allocatable = {{"cpu", 64'000}, {"nvidia.com/gpu", gpus * kOneGpu}, {"pods", 110}}};
}

QueueObject queue(std::string name, std::string parent = "") {
  const QueueAmounts any{.quota = -1, .limit = -1, .weight = 1};
  return {.meta = {.name = std::move(name)},
          .parent_name = std::move(parent),
          .cpu = any,
          .memory = any,
          .gpu = any};
}

PodGroupObject group(const std::string& name, std::string queue_name = "q") {
  PodGroupObject object{.meta = {.ns = "ns", .name = name, .uid = name}};
  object.queue = std::move(queue_name);
  return object;
}

PodObject pod(const std::string& name, std::string group_name, std::string node_name = "") {
  PodObject object{.meta = {.ns = "ns", .name = name, .uid = name}};
  object.phase = node_name.empty() ? PodPhase::kPending : PodPhase::kRunning;
  object.scheduler = "kai-scheduler";
  object.node = std::move(node_name);
  object.pod_group = std::move(group_name);
  object.requests = {{"nvidia.com/gpu", kOneGpu}};
  return object;
}

class Deltas : public testing::Test {
 protected:
  template <class Object>
  void apply(Object object) {
    c.apply(std::move(object));
  }
  void apply_all() {
    apply(node("n1"));
    apply(queue("q"));
    apply(group("a"));
    apply(pod("a-0", "a", "n1"));
    apply(pod("a-1", "a"));
  }
  void refresh(Duration later = {}) {
    c.refresh(start + later);
    EXPECT_EQ(c.recount(), "");
  }
  double held(const char* name) const { return c.use(c.find_queue(name)).allocated.share(Accounted::kGpus); }
  double wanted(const char* name) const { return c.use(c.find_queue(name)).pending.share(Accounted::kGpus); }
  std::int64_t idle(const char* name) const { return c.idle().at(kGpu, c.find_node(name)) / kOneGpu; }
  TaskStatus status(const char* name) const { return c.placement(c.find_task("ns", name)).status; }
  bool usable(const char* name) const { return c.queue(c.find_queue(name)).usable; }
  std::string warnings() {
    std::string text;
    for (const ObjectWarning& w : c.take_warnings()) text += w.object + ": " + w.message + "\n";
    return text;
  }

  const TimePoint start = *parse_time("2025-06-01T12:00:00Z");
  Cluster c;
};

TEST_F(Deltas, AnyOrderGivesTheSameCluster) {
  std::vector<std::function<void(Cluster&)>> steps = {[](Cluster& x) { x.apply(node("n1")); },
                                                      [](Cluster& x) { x.apply(queue("q", "top")); },
                                                      [](Cluster& x) { x.apply(queue("top")); },
                                                      [](Cluster& x) { x.apply(group("a")); },
                                                      [](Cluster& x) { x.apply(pod("a-0", "a", "n1")); },
                                                      [](Cluster& x) { x.apply(pod("a-1", "a")); }};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4, 5};
  std::string first;
  do {
    Cluster x;
    for (std::size_t i : order) steps[i](x);
    x.refresh(start);
    ASSERT_EQ(x.recount(), "");
    if (first.empty()) first = sums_text(x);
    ASSERT_EQ(sums_text(x), first);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Deltas, ANodeMayChangeItsCapacity) {
  apply_all();
  refresh();
  EXPECT_EQ(idle("n1"), 3);
  apply(node("n1", 8));
  refresh();
  EXPECT_EQ(idle("n1"), 7);
  EXPECT_EQ(c.total().share(Accounted::kGpus), 8);
}

TEST_F(Deltas, ANodeThatIsGoneHoldsNothingForItsQueue) {
  apply_all();
  refresh();
  EXPECT_EQ(held("q"), 1);
  c.remove("Node", "", "n1");
  refresh();
  EXPECT_EQ(held("q"), 0);
  EXPECT_TRUE(c.nodes_by_name().empty());
  apply(node("n1"));
  refresh();
  EXPECT_EQ(held("q"), 1);
  EXPECT_EQ(idle("n1"), 3);
}

TEST_F(Deltas, ACordonedNodeLeavesTheTotal) {
  apply(node("n1"));
  NodeObject cordoned = node("n2");
  cordoned.conditions.unschedulable = true;
  apply(cordoned);
  refresh();
  EXPECT_EQ(c.total().share(Accounted::kGpus), 4);
}

TEST_F(Deltas, AQueueMayMoveBelowAnother) {
  apply_all();
  apply(queue("left"));
  apply(queue("right"));
  apply(queue("q", "left"));
  refresh();
  EXPECT_EQ(held("left"), 1);
  EXPECT_EQ(held("right"), 0);
  apply(queue("q", "right"));
  refresh();
  EXPECT_EQ(held("left"), 0);
  EXPECT_EQ(held("right"), 1);
}

TEST_F(Deltas, AnOrphanAndItsDescendantsAreIgnoredUntilItsParentComes) {
  apply_all();
  apply(queue("q", "mid"));
  apply(queue("mid", "top"));
  refresh();
  EXPECT_FALSE(usable("q"));
  EXPECT_FALSE(usable("mid"));
  EXPECT_EQ(warnings(),
            "Queue mid: parent queue \"top\" does not exist; this queue and all below it are ignored\n");
  apply(queue("top"));
  refresh();
  EXPECT_TRUE(usable("q"));
  EXPECT_EQ(held("top"), 1);
}

TEST_F(Deltas, QueuesInACycleAreIgnored) {
  apply(queue("a", "b"));
  apply(queue("b", "a"));
  apply(queue("own", "own"));
  apply(queue("fine"));
  refresh();
  EXPECT_FALSE(usable("a"));
  EXPECT_FALSE(usable("b"));
  EXPECT_FALSE(usable("own"));
  EXPECT_TRUE(usable("fine"));
}

TEST_F(Deltas, ARemovedQueueTakesItsJobsOutOfTheCycle) {
  apply_all();
  refresh();
  c.remove("Queue", "", "q");
  refresh();
  EXPECT_FALSE(usable("q"));
}

TEST_F(Deltas, AJobMayMoveToAnotherQueue) {
  apply_all();
  apply(queue("other"));
  refresh();
  apply(group("a", "other"));
  refresh();
  EXPECT_EQ(held("q"), 0);
  EXPECT_EQ(wanted("q"), 0);
  EXPECT_EQ(held("other"), 1);
  EXPECT_EQ(wanted("other"), 1);
}

TEST_F(Deltas, APodMayComeBackPending) {
  apply_all();
  refresh();
  apply(pod("a-0", "a"));
  refresh();
  EXPECT_EQ(idle("n1"), 4);
  EXPECT_EQ(held("q"), 0);
  EXPECT_EQ(wanted("q"), 2);
}

TEST_F(Deltas, ARemovedPodLeavesNothingBehind) {
  apply_all();
  refresh();
  c.remove("Pod", "ns", "a-0");
  refresh();
  EXPECT_EQ(idle("n1"), 4);
  EXPECT_FALSE(c.find_task("ns", "a-0").valid());
  EXPECT_EQ(c.job(c.find_job("ns", "a")).counts.total(), 1);
}

TEST_F(Deltas, PodsOfADeletedPodGroupHoldTheirNodesAndAreChargedToItsQueue) {
  apply_all();
  refresh();
  c.remove("PodGroup", "ns", "a");
  refresh();
  EXPECT_EQ(idle("n1"), 3);
  EXPECT_EQ(held("q"), 1);
  EXPECT_EQ(wanted("q"), 0);
  EXPECT_TRUE(c.pending_jobs().empty());
  apply(group("a"));
  refresh();
  EXPECT_EQ(held("q"), 1);
}

TEST_F(Deltas, ABindRequestPlacesItsPod) {
  apply_all();
  BindRequestObject request{.meta = {.ns = "ns", .name = "a-1"}};
  request.pod = "a-1";
  request.node = "n1";
  apply(request);
  refresh();
  EXPECT_EQ(status("a-1"), TaskStatus::kBinding);
  EXPECT_EQ(idle("n1"), 2);
  c.remove("BindRequest", "ns", "a-1");
  refresh();
  EXPECT_EQ(status("a-1"), TaskStatus::kPending);
  EXPECT_EQ(idle("n1"), 3);
}

TEST_F(Deltas, AFailedOrForeignBindRequestPlacesNothing) {
  apply_all();
  BindRequestObject request{.meta = {.ns = "ns", .name = "a-1"}};
  request.pod = "a-1";
  request.node = "n1";
  request.failed = true;
  apply(request);
  EXPECT_EQ(status("a-1"), TaskStatus::kPending);
  request.failed = false;
  request.pod_uid = "of an earlier pod of that name";
  apply(request);
  EXPECT_EQ(status("a-1"), TaskStatus::kPending);
}

TEST_F(Deltas, ABindRequestMayComeBeforeItsPod) {
  BindRequestObject request{.meta = {.ns = "ns", .name = "a-1"}};
  request.pod = "a-1";
  request.node = "n1";
  apply(request);
  apply_all();
  refresh();
  EXPECT_EQ(status("a-1"), TaskStatus::kBinding);
  EXPECT_EQ(idle("n1"), 2);
}

TEST_F(Deltas, ATerminatingPodIsStuckAfterTheThreshold) {
  apply_all();
  PodObject going = pod("a-0", "a", "n1");
  going.deletion = start;
  apply(going);
  refresh(2min);
  EXPECT_EQ(status("a-0"), TaskStatus::kReleasing);
  EXPECT_EQ(c.releasing().at(kGpu, c.find_node("n1")), kOneGpu);
  refresh(2min + 1s);
  EXPECT_EQ(status("a-0"), TaskStatus::kStuckInReleasing);
  EXPECT_EQ(c.releasing().at(kGpu, c.find_node("n1")), 0);
  EXPECT_EQ(held("q"), 0);
}

TEST_F(Deltas, PriorityClassesMayChangeUnderAJob) {
  apply_all();
  PodGroupObject build = group("a");
  build.priority_class = "build";
  apply(build);
  refresh();
  EXPECT_EQ(c.job(c.find_job("ns", "a")).priority, 50);
  apply(PriorityClassObject{.meta = {.name = "build"}, .value = 100});
  refresh();
  EXPECT_EQ(c.job(c.find_job("ns", "a")).priority, 100);
  EXPECT_EQ(c.use(c.find_queue("q")).non_preemptible.share(Accounted::kGpus), 1);
  c.remove("PriorityClass", "", "build");
  refresh();
  EXPECT_EQ(c.use(c.find_queue("q")).non_preemptible.share(Accounted::kGpus), 0);
}

TEST_F(Deltas, PodsOfOtherSchedulersLessenTheTotal) {
  apply_all();
  PodObject other = pod("other", "", "n1");
  other.scheduler = "default-scheduler";
  apply(other);
  refresh();
  EXPECT_EQ(c.total().share(Accounted::kGpus), 3);
  c.remove("Pod", "ns", "other");
  refresh();
  EXPECT_EQ(c.total().share(Accounted::kGpus), 4);
}

// ---------------------------------------------------------------- options

Meta labelled(Meta meta, const std::string& pool) {
  if (!pool.empty()) meta.labels = {{"kai.scheduler/node-pool", pool}};
  return meta;
}

std::size_t nodes_in_pool(const std::string& pool) {
  Cluster c({.node_pool = pool});
  for (const char* label : {"", "green", "green", "blue", "blue", "blue"}) {
    NodeObject object = node("n" + std::to_string(c.nodes().size()));
    object.meta = labelled(object.meta, label);
    c.apply(std::move(object));
  }
  c.refresh({});
  return c.nodes_by_name().size();
}

TEST(Partition, HoldsTheNodesOfItsPool) {
  EXPECT_EQ(nodes_in_pool("green"), 2U);
  EXPECT_EQ(nodes_in_pool("blue"), 3U);
  EXPECT_EQ(nodes_in_pool(""), 1U);
}

TEST(Partition, JobsAndQueuesOfOtherPoolsAreIgnored) {
  Cluster c({.node_pool = "green"});
  for (const char* pool : {"green", "blue"}) {
    QueueObject q = queue(std::string("q-") + pool);
    q.meta = labelled(q.meta, pool);
    c.apply(std::move(q));
    PodGroupObject g = group(std::string("g-") + pool, std::string("q-") + pool);
    g.meta = labelled(g.meta, pool);
    c.apply(std::move(g));
    c.apply(pod(std::string("p-") + pool, std::string("g-") + pool));
  }
  c.refresh({});
  ASSERT_EQ(c.pending_jobs().size(), 1U);
  EXPECT_EQ(c.job(c.pending_jobs()[0]).name, "g-green");
  EXPECT_TRUE(c.queue(c.find_queue("q-green")).usable);
  EXPECT_FALSE(c.queue(c.find_queue("q-blue")).usable);
}

TEST(FlatHierarchy, PutsEveryChildBelowOneRoot) {
  Cluster c({.full_hierarchy = false});
  c.apply(queue("dept"));
  c.apply(queue("team", "dept"));
  c.apply(queue("sub", "team"));
  c.refresh({});
  EXPECT_EQ(c.queue(c.find_queue("team")).parent, c.find_queue("default"));
  EXPECT_EQ(c.queue(c.find_queue("sub")).parent, c.find_queue("default"));
  EXPECT_TRUE(c.queue(c.find_queue("team")).is_leaf());
  EXPECT_FALSE(c.queue(c.find_queue("dept")).usable);
  EXPECT_EQ(c.queue(c.find_queue("default")).of(Accounted::kGpus).quota, -1);
}

}  // namespace
}  // namespace muster
