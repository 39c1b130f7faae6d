// Pods on nodes stay charged to their queue whatever a tenant does to their group, labels or queue.
// tenants.md 2.
#include <gtest/gtest.h>

#include "tests/test_cluster.hpp"

namespace muster {
namespace {

constexpr QueueAmounts kAnything{.quota = -1, .limit = -1, .weight = 1};

NodeObject a_node(std::string name) {
  return {.meta = {.name = std::move(name)},
          .allocatable = {{"cpu", 64'000}, {"nvidia.com/gpu", 8 * kOneGpu}, {"pods", 110}}};
}

QueueObject a_queue(std::string name, double gpu_quota) {
  return {.meta = {.name = std::move(name)},
          .cpu = kAnything,
          .memory = kAnything,
          .gpu = {.quota = gpu_quota, .limit = -1, .weight = 1}};
}

PodGroupObject a_group(const std::string& name, std::string queue, std::string preemptibility = "") {
  PodGroupObject object{.meta = {.ns = "ns", .name = name, .uid = name}};
  object.queue = std::move(queue);
  object.preemptibility = std::move(preemptibility);
  return object;
}

PodObject a_pod(const std::string& name, std::string group, std::string node = "n1") {
  PodObject object{.meta = {.ns = "ns", .name = name, .uid = name}};
  object.phase = node.empty() ? PodPhase::kPending : PodPhase::kRunning;
  object.scheduler = "kai-scheduler";
  object.node = std::move(node);
  object.pod_group = std::move(group);
  object.requests = {{"nvidia.com/gpu", kOneGpu}};
  return object;
}

BindRequestObject a_bind_of(const std::string& pod) {
  BindRequestObject object{.meta = {.ns = "ns", .name = pod}};
  object.pod = object.pod_uid = pod;
  object.node = "n1";
  return object;
}

class Charging : public testing::Test {
 protected:
  Charging() { restart(); }
  void restart(Compatibility compatibility = {}) {
    c = Cluster({.compatibility = compatibility});
    c.apply(a_node("n1"));
    c.apply(a_queue("q", 2));
    c.apply(a_queue("r", 2));
    c.apply(a_group("a", "q"));
    c.apply(a_pod("a-0", "a"));
  }
  std::string charged() {
    c.refresh(*parse_time("2025-06-01T12:00:00Z"));
    EXPECT_EQ(c.recount(), "");
    std::string text;
    for (QueueId q : ids(c.queues()))
      if (const double gpus = c.use(q).allocated.share(Accounted::kGpus); gpus > 0)
        text += (c.queue(q).name.empty() ? "no queue" : c.queue(q).name) + " " +
                std::to_string(static_cast<int>(gpus)) + ", " +
                std::to_string(static_cast<int>(c.use(q).non_preemptible.share(Accounted::kGpus))) +
                " fixed; ";
    return text;
  }
  std::string warnings() {
    std::string text;
    for (const ObjectWarning& w : c.take_warnings())
      text += w.object + ": " + w.field + ": " + w.message + "\n";
    return text;
  }
  const Job& job(const char* name) { return c.job(c.find_job("ns", name)); }
  Cluster c;
};

TEST_F(Charging, AJobIsChargedToTheQueueItNamesNow) {
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("a", "r"));
  EXPECT_EQ(charged(), "r 1, 0 fixed; ");
  EXPECT_TRUE(job("a").is_in_named_queue);
}

TEST_F(Charging, AJobWithoutAQueueIsChargedToItsLastQueue) {
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("a", "there-is-none"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_FALSE(job("a").is_in_named_queue);
  c.remove("PodGroup", "ns", "a");
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
}

TEST_F(Charging, TheAnnotationRestoresTheQueueAfterARestart) {
  PodGroupObject group = a_group("a", "there-is-none");
  group.last_queue = "r";
  c.apply(group);
  EXPECT_EQ(charged(), "r 1, 0 fixed; ");
}

TEST_F(Charging, AJobWithoutAKnownQueueIsChargedToNone) {
  c.apply(a_group("a", "there-is-none"));
  EXPECT_EQ(charged(), "no queue 1, 0 fixed; ");
  EXPECT_TRUE(c.is_within_reach(c.find_job("ns", "a")));
  c.apply(a_group("a", "q"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
}

TEST_F(Charging, AJobWhoseQueueIsRemovedIsChargedToNone) {
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.remove("Queue", "", "q");
  EXPECT_EQ(charged(), "no queue 1, 0 fixed; ");
  c.apply(a_queue("q", 2));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
}

TEST_F(Charging, AJobOfAnotherNodePoolIsNotCharged) {
  PodGroupObject group = a_group("a", "there-is-none");
  group.meta.labels = {{"kai.scheduler/node-pool", "other"}};
  c.apply(group);
  charged();
  EXPECT_FALSE(c.is_within_reach(c.find_job("ns", "a")));
}

TEST_F(Charging, APodWithoutAGroupIsChargedToTheQueueItNames) {
  PodObject pod = a_pod("by-hand", "");
  c.apply(pod);
  EXPECT_EQ(charged(), "no queue 1, 0 fixed; q 1, 0 fixed; ");
  pod.meta.labels = {{"kai.scheduler/queue", "r"}};
  c.apply(pod);
  EXPECT_EQ(charged(), "q 1, 0 fixed; r 1, 0 fixed; ");
  pod.last_queue = "q";
  c.apply(pod);  // a tenant may have changed it meanwhile
  EXPECT_EQ(charged(), "q 1, 0 fixed; r 1, 0 fixed; ");
  c.remove("Pod", "ns", "by-hand");
  c.apply(pod);
  EXPECT_EQ(charged(), "q 2, 0 fixed; ");
  c.remove("Pod", "ns", "by-hand");
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_FALSE(c.find_job("ns", "pod/by-hand").valid());
}

TEST_F(Charging, APendingPodWithoutAGroupIsNotCharged) {
  c.apply(a_pod("waits", "", ""));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  PodObject of_others = a_pod("of-others", "");
  of_others.scheduler = "default-scheduler";
  c.apply(of_others);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
}

TEST_F(Charging, ARunningPodStaysInItsGroup) {
  c.apply(a_group("b", "r"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  for (const char* other : {"b", ""}) {
    c.apply(a_pod("a-0", other));
    EXPECT_EQ(charged(), "q 1, 0 fixed; ");
    EXPECT_EQ(warnings(),
              "Pod ns/a-0: metadata.annotations.pod-group-name: the pod runs as part of PodGroup a and stays "
              "in it until it ends\n");
  }
  c.remove("PodGroup", "ns", "a");
  c.apply(a_pod("a-0", "b"));
  EXPECT_EQ(charged(), "r 1, 0 fixed; ");
}

// A tenant renames the group between our decision and the API server's answer.
TEST_F(Charging, APodThatIsBeingBoundStaysInItsGroup) {
  c.apply(a_group("b", "r"));
  for (const char* other : {"b", ""}) {
    c.apply(a_pod("a-1", "a", ""));
    c.apply(a_bind_of("a-1"));
    EXPECT_EQ(charged(), "q 2, 0 fixed; ");
    c.apply(a_pod("a-1", other, ""));
    EXPECT_EQ(charged(), "q 2, 0 fixed; ") << other;
    c.apply(a_pod("a-1", other));
    c.remove("BindRequest", "ns", "a-1");
    EXPECT_EQ(charged(), "q 2, 0 fixed; ") << other;
    c.remove("Pod", "ns", "a-1");
    EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  }
}

TEST_F(Charging, ARunningPodStaysInAGroupThatIsMovedToAnotherPool) {
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  PodGroupObject group = a_group("a", "q");
  group.meta.labels = {{"kai.scheduler/node-pool", "other"}};
  c.apply(group);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("b", "there-is-none"));
  for (const char* other : {"", "b"}) {
    c.apply(a_pod("a-0", other));
    EXPECT_EQ(charged(), "q 1, 0 fixed; ") << other;
  }
}

// The pod grouper would create such a group: it names the default queue, which does not exist.
TEST_F(Charging, ARunningPodIsChargedAsBeforeIfItsGroupNamesNoQueue) {
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.remove("PodGroup", "ns", "a");
  c.apply(a_pod("a-0", ""));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_pod("a-0", "b"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("b", "there-is-none"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("b", "r"));
  EXPECT_EQ(charged(), "r 1, 0 fixed; ");
}

TEST_F(Charging, ThePodRestoresTheQueueAfterARestartIfItsGroupDoesNot) {
  PodObject pod = a_pod("b-0", "b");
  pod.last_queue = "r";
  c.apply(a_group("b", "there-is-none"));
  c.apply(pod);
  EXPECT_EQ(charged(), "q 1, 0 fixed; r 1, 0 fixed; ");
}

TEST_F(Charging, APodWhoseBindFailedJoinsTheGroupItNames) {
  c.apply(a_group("b", "r"));
  c.apply(a_pod("a-1", "a", ""));
  c.apply(a_bind_of("a-1"));
  c.apply(a_pod("a-1", "b", ""));
  c.remove("BindRequest", "ns", "a-1");
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_EQ(c.task(c.find_task("ns", "a-1")).job, c.find_job("ns", "b"));
  c.apply(a_pod("a-1", "b"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; r 1, 0 fixed; ");
}

TEST_F(Charging, RunningPodsStayChargedWhenTheirSubGroupsAreRemoved) {
  PodGroupObject group = a_group("a", "q");
  group.sub_groups = {{.name = "x", .min_member = 1}};
  PodObject pod = a_pod("a-0", "a", "");
  pod.sub_group = "x";
  c.apply(group);
  c.apply(pod);
  pod.node = "n1";
  pod.phase = PodPhase::kRunning;
  c.apply(pod);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_EQ(job("a").counts.total(), 1);
  group.sub_groups = {{.name = "y", .min_member = 1}};
  c.apply(group);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_EQ(job("a").counts.total(), 0);
  EXPECT_TRUE(c.is_within_reach(c.find_job("ns", "pod/a-0")));
  group.sub_groups = {{.name = "x", .min_member = 1}};
  c.apply(group);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  EXPECT_EQ(job("a").counts.total(), 1);
}

// Adds more jobs than the table has room for, so that it is reallocated while the group is being read.
TEST_F(Charging, ManyMayBecomeJobsAtOnce) {
  constexpr int kMany = 1000;
  PodGroupObject group = a_group("b", "q");
  group.sub_groups = {{.name = "x", .min_member = 1}};
  c.apply(group);
  for (int i = 0; i < kMany; ++i) {
    PodObject pod = a_pod("b-" + std::to_string(i), "b");
    pod.sub_group = "x";
    c.apply(pod);
  }
  const std::string all = charged();
  const auto before = job("b").version;
  group.sub_groups = {{.name = "y", .min_member = 1}};
  c.apply(group);
  EXPECT_GT(job("b").version, before);
  EXPECT_EQ(charged(), all);
}

TEST_F(Charging, BecomingNonPreemptibleNeedsTheQuota) {
  c.apply(a_pod("a-1", "a"));
  EXPECT_EQ(charged(), "q 2, 0 fixed; ");
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 2, 2 fixed; ");
  c.apply(a_group("a", "q"));
  EXPECT_EQ(charged(), "q 2, 0 fixed; ");
  c.apply(a_pod("a-2", "a"));
  EXPECT_EQ(charged(), "q 3, 0 fixed; ");
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 3, 0 fixed; ");
  EXPECT_TRUE(job("a").is_held_back());
  c.apply(a_queue("q", 3));
  EXPECT_EQ(charged(), "q 3, 3 fixed; ");
  EXPECT_FALSE(job("a").is_held_back());
  c.apply(a_queue("q", 1));
  EXPECT_EQ(charged(), "q 3, 3 fixed; ");
}

TEST_F(Charging, ANonPreemptibleJobIsCheckedAgainInAnotherQueue) {
  c.apply(a_queue("r", 0));
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 1, 1 fixed; ");
  c.apply(a_group("a", "r", "non-preemptible"));
  EXPECT_EQ(charged(), "r 1, 0 fixed; ");
  EXPECT_TRUE(job("a").is_held_back());
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 1, 1 fixed; ");
}

TEST_F(Charging, TheStatusRestoresThePreemptibilityAfterARestart) {
  c.apply(a_queue("q", 0));
  PodGroupObject group = a_group("a", "q", "non-preemptible");
  c.apply(group);
  EXPECT_EQ(charged(), "q 1, 1 fixed; ") << "no record says that it was anything else";
  restart();
  c.apply(a_queue("q", 0));
  group.told_preemptibility = "preemptible";
  c.remove("PodGroup", "ns", "a");
  c.apply(group);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
}

TEST_F(Charging, AnEvictedJobBecomesWhatItAsksFor) {
  c.apply(a_queue("q", 0));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.remove("Pod", "ns", "a-0");
  c.apply(a_pod("a-1", "a", ""));
  EXPECT_EQ(charged(), "");
  EXPECT_EQ(job("a").preemptibility, Preemptibility::kNonPreemptible);
}

TEST_F(Charging, TheReservationLabelCountsOnlyInTheReservationNamespace) {
  PodObject pod = a_pod("reserves", "");
  pod.app = "kai-resource-reservation";
  c.apply(pod);
  charged();
  EXPECT_EQ(c.idle().at(kGpu, c.find_node("n1")), 6 * kOneGpu);
  pod.meta.ns = "kai-resource-reservation";
  pod.meta.name = "real";
  c.apply(pod);
  charged();
  EXPECT_EQ(c.idle().at(kGpu, c.find_node("n1")), 6 * kOneGpu);
}

TEST_F(Charging, ReservationsBelongToNoJob) {
  c.apply(a_queue("q", 2));
  PodGroupObject group = a_group("a", "q");
  group.meta.ns = "kai-resource-reservation";
  PodObject pod = a_pod("reserves", "a");
  pod.meta.ns = group.meta.ns;
  pod.app = "kai-resource-reservation";
  for (const bool is_kai : {false, true}) {
    restart({.reservations_in_namespace = !is_kai});
    c.apply(a_queue("q", 2));
    c.apply(PodGroupObject(group));
    const std::string before = charged();
    c.apply(PodObject(pod));
    EXPECT_EQ(charged() != before, is_kai);
    EXPECT_EQ(c.task(c.find_task(pod.meta.ns, "reserves")).job.valid(), is_kai);
  }
}

TEST_F(Charging, AQueueMayBeClosedToNamespaces) {
  QueueObject queue = a_queue("q", 2);
  queue.namespaces = {"team-*", "n*s"};
  c.apply(queue);
  charged();
  EXPECT_TRUE(job("a").is_in_named_queue);
  queue.namespaces = {"team-*", "other"};
  c.apply(queue);
  EXPECT_EQ(charged(), "q 1, 0 fixed; ") << "running pods stay charged";
  EXPECT_FALSE(job("a").is_in_named_queue);
}

TEST_F(Charging, KaiChargesByTheCurrentObjectsOnly) {
  restart(Compatibility::kai_exact());
  c.apply(a_pod("by-hand", ""));
  c.apply(a_queue("q", 0));
  EXPECT_EQ(charged(), "q 1, 0 fixed; ");
  c.apply(a_group("a", "q", "non-preemptible"));
  EXPECT_EQ(charged(), "q 1, 1 fixed; ");
  c.remove("PodGroup", "ns", "a");
  charged();
  EXPECT_FALSE(c.is_within_reach(c.find_job("ns", "a")));
}

}  // namespace
}  // namespace muster
