// Nodes, queues, pod groups, and the small kinds.
#include <gtest/gtest.h>

#include "manifest/testing.hpp"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST(Node, ReadsResourcesAndTaints) {
  const NodeObject node = decoded(R"(
apiVersion: v1
kind: Node
metadata: {name: n1, namespace: ignored, labels: {nvidia.com/gpu.memory: "80000"}}
spec:
  unschedulable: true
  taints: [{key: a, value: b, effect: NoExecute}, {key: c, effect: PreferNoSchedule}]
status:
  capacity: {cpu: 9}
  allocatable: {cpu: 7500m, memory: 1000G, nvidia.com/gpu: "8", pods: 110, nvidia.com/mig-1g.5gb: 2, hugepages-1Gi: 0}
  conditions:
  - {type: Ready, status: Unknown}
  - {type: MemoryPressure, status: "False"}
  - {type: DiskPressure, status: "True"}
  - {type: Other, status: "True"}
)")
                              .all<NodeObject>()
                              .at(0);
  EXPECT_EQ(node.meta.ns, "");
  EXPECT_EQ(node.meta.uid, "n1");
  EXPECT_EQ(text_of(node.allocatable),
            "cpu 7500, memory 1000000000000, nvidia.com/gpu 8000, nvidia.com/mig-1g.5gb 2, pods 110");
  EXPECT_EQ(node.taints, (std::vector<Taint>{{"a", "b", TaintEffect::kNoExecute},
                                             {"c", "", TaintEffect::kPreferNoSchedule}}));
  EXPECT_TRUE(node.conditions.unschedulable && node.conditions.not_ready && node.conditions.disk_pressure);
  EXPECT_FALSE(node.conditions.memory_pressure || node.conditions.pid_pressure ||
               node.conditions.network_unavailable);
}

TEST(Node, OffersItsCapacityByDefault) {
  const NodeObject node =
      decoded("{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 2}}}")
          .all<NodeObject>()
          .at(0);
  EXPECT_EQ(text_of(node.allocatable), "cpu 2000");
  EXPECT_FALSE(node.conditions.not_ready);
}

TEST(Queue, ReadsAmountsInTheirUnits) {
  const QueueObject queue = decoded(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: team, annotations: {kai.scheduler/expected-runtime: 1h, kai.scheduler/requeue-delay: x}}
spec:
  displayName: The team
  parentQueue: dept
  priority: 120
  preemptMinRuntime: 20s
  reclaimMinRuntime: 1d
  resources:
    gpu: {quota: 0.7, limit: -1, overQuotaWeight: 2}
    cpu: {quota: 1500}
    memory: {quota: 3, limit: -1}
)")
                                .all<QueueObject>()
                                .at(0);
  EXPECT_EQ(queue.display_name, "The team");
  EXPECT_EQ(queue.parent_name, "dept");
  EXPECT_EQ(queue.priority, 120);
  EXPECT_EQ(queue.preempt_min_runtime, 20s);
  EXPECT_EQ(queue.reclaim_min_runtime, 24h);
  EXPECT_EQ(queue.gpu, (QueueAmounts{.quota = 0.7, .limit = -1, .weight = 2}));
  EXPECT_EQ(queue.cpu, (QueueAmounts{.quota = 1500, .limit_missing = true}));
  EXPECT_EQ(queue.memory, (QueueAmounts{.quota = 3e6, .limit = -1}));
  EXPECT_EQ(queue.expected_runtime, "1h");
  EXPECT_EQ(queue.requeue_delay, "x");
}

TEST(Queue, HasDefaults) {
  const QueueObject queue = decoded("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: q}}")
                                .all<QueueObject>()
                                .at(0);
  EXPECT_EQ(queue.priority, 100);
  EXPECT_EQ(queue.gpu, QueueAmounts{.limit_missing = true});
  EXPECT_EQ(queue.memory, QueueAmounts{.limit_missing = true});
  EXPECT_FALSE(queue.preempt_min_runtime || queue.reclaim_min_runtime);
}

TEST(Queue, KeepsANegativeMinimumRuntime) {  // --kai-exact uses it; the warning is in findings_test.cpp
  const QueueObject queue = decoded(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {preemptMinRuntime: -5m, reclaimMinRuntime: soon}
)")
                                .all<QueueObject>()
                                .at(0);
  EXPECT_EQ(queue.preempt_min_runtime, -5min);
  EXPECT_EQ(queue.reclaim_min_runtime, std::nullopt);
}

TEST(PodGroup, ReadsTheZeroTimeOfGoAsNoTime) {
  const PodGroupObject group = decoded(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata:
  name: g
  annotations:
    kai.scheduler/last-start-timestamp: "0001-01-01T00:00:00Z"
    kai.scheduler/last-eviction-timestamp: "0001-01-01T01:00:00+01:00"
)")
                                   .all<PodGroupObject>()
                                   .at(0);
  EXPECT_EQ(group.last_start, std::nullopt);
  EXPECT_EQ(group.last_eviction, std::nullopt);
}

TEST(PodGroup, ReadsEveryField) {
  const PodGroupObject group = decoded(R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata:
  name: g
  annotations:
    kai.scheduler/last-start-timestamp: "2025-06-01T10:00:00Z"
    kai.scheduler/last-eviction-timestamp: "2025-06-01T09:00:00Z"
    kai.scheduler/stale-podgroup-timestamp: "2025-06-01T08:00:00Z"
    kai.scheduler/expected-runtime: 2h
    kai.scheduler/requeue-delay: 10m
    kai.scheduler/requeue-not-before: never
    muster.dev/requeued-at: x
    muster.dev/stays-terminating: "true"
spec:
  queue: q
  minMember: 3
  minSubGroup: 0
  priorityClassName: train
  preemptibility: Preemptible
  preemptionDelay: 5m
  stalenessGracePeriod: -1s
  markUnschedulable: false
  schedulingBackoff: 1
  topologyConstraint: {topology: t, requiredTopologyLevel: rack, preferredTopologyLevel: host}
  subGroups:
  - {name: all, minSubGroup: 1}
  - {name: Workers, parent: ALL, minMember: 2, topologyConstraint: {topology: t2}}
status:
  schedulingConditions:
  - {transitionID: "9", nodePool: old}
  - {transitionID: "10", nodePool: new}
  - {transitionID: "2", nodePool: older}
)")
                                   .all<PodGroupObject>()
                                   .at(0);
  EXPECT_EQ(group.meta.uid, "default/g");
  EXPECT_EQ(group.queue, "q");
  EXPECT_EQ(group.min_member, 3);
  EXPECT_EQ(group.min_sub_group, 0);
  EXPECT_EQ(group.priority_class, "train");
  EXPECT_EQ(group.preemptibility, "Preemptible");
  EXPECT_EQ(group.preemption_delay, 5min);
  EXPECT_EQ(group.staleness_grace, -1s);
  EXPECT_FALSE(group.mark_unschedulable);
  EXPECT_EQ(group.scheduling_backoff, 1);
  EXPECT_EQ(group.topology, (TopologyConstraint{"t", "rack", "host"}));
  EXPECT_EQ(group.sub_groups,
            (std::vector<SubGroupObject>{
                {.name = "all", .min_sub_group = 1},
                {.name = "Workers", .parent = "ALL", .min_member = 2, .topology = {.topology = "t2"}}}));
  EXPECT_EQ(format_time(group.last_start.value()), "2025-06-01T10:00:00Z");
  EXPECT_EQ(format_time(group.last_eviction.value()), "2025-06-01T09:00:00Z");
  EXPECT_EQ(format_time(group.stale_since.value()), "2025-06-01T08:00:00Z");
  EXPECT_EQ(group.expected_runtime, "2h");
  EXPECT_EQ(group.requeue_delay, "10m");
  EXPECT_EQ(group.requeue_not_before, "never");
  EXPECT_EQ(group.requeued_at, "x");
  EXPECT_TRUE(group.stays_terminating);
  EXPECT_EQ(group.unschedulable_node_pool, "new");
}

TEST(PodGroup, IsReadFromEveryApiGroup) {
  const Collected c = decoded(R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: a}
spec:
  preemptibility: Preemptible  # and nothing else
---
apiVersion: scheduling.kai.nvidia.com/v2alpha2
kind: PodGroup
metadata: {name: b}
spec:
  # nothing at all
---
apiVersion: scheduling.run.ai/v9
kind: PodGroup
metadata: {name: c}
---
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: d}
)");
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.all<PodGroupObject>().size(), 3u);
  EXPECT_EQ(c.all<PodGroupObject>().at(1).min_member, std::nullopt);
  EXPECT_EQ(c.findings.unknown_kinds,
            (std::map<std::string, std::int64_t>{{"scheduling.x-k8s.io/v1alpha1 PodGroup", 1}}));
  EXPECT_EQ(c.findings.known_kinds, (std::map<std::string, std::int64_t>{{"PodGroup", 3}}));
}

TEST(SmallKinds, AreRead) {
  const Collected c = decoded(R"(
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: -5, globalDefault: true}
---
{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: t}, spec: {levels: [{nodeLabel: zone}, {nodeLabel: rack, alias: r}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: m, namespace: ns}, data: {a: b}}
)");
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.all<PriorityClassObject>().at(0).value, -5);
  EXPECT_TRUE(c.all<PriorityClassObject>().at(0).global_default);
  EXPECT_EQ(c.all<TopologyObject>().at(0).levels.at(0).label, "zone");
  EXPECT_EQ(c.all<TopologyObject>().at(0).levels.at(1).alias, "r");
  EXPECT_EQ(c.all<ConfigMapObject>().at(0).meta.uid, "ns/m");
}

TEST(BindRequest, FailsFinallyAtItsLimit) {
  const std::pair<const char*, bool> cases[] = {
      {"spec: {}, status: {phase: Pending}", false},
      {"spec: {}", false},
      {"spec: {}, status: {phase: Failed}", true},
      {"spec: {backoffLimit: 2}, status: {phase: Failed, failedAttempts: 1}", false},
      {"spec: {backoffLimit: 2}, status: {phase: Failed, failedAttempts: 2}", true},
  };
  for (const auto& [text, failed] : cases)
    EXPECT_EQ(
        decoded(
            std::string("{apiVersion: scheduling.run.ai/v1alpha2, kind: BindRequest, metadata: {name: a}, ") +
            text + "}")
            .all<BindRequestObject>()
            .at(0)
            .failed,
        failed)
        << text;
}

TEST(BindRequest, ReadsThePlace) {
  const BindRequestObject request = decoded(R"(
apiVersion: scheduling.run.ai/v1alpha2
kind: BindRequest
metadata: {name: a, namespace: ns, ownerReferences: [{kind: Pod, name: a, uid: u1}]}
spec: {podName: a, selectedNode: n1, selectedGPUGroups: [g1, g2], receivedResourceType: Fraction}
)")
                                        .all<BindRequestObject>()
                                        .at(0);
  EXPECT_EQ(request.pod, "a");
  EXPECT_EQ(request.pod_uid, "u1");
  EXPECT_EQ(request.node, "n1");
  EXPECT_EQ(request.gpu_groups, (std::vector<std::string>{"g1", "g2"}));
  EXPECT_EQ(request.received_type, "Fraction");
}

}  // namespace
}  // namespace muster
