// Decoding of pods: identity, state, requests, and warnings.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "manifest/testing.hpp"

namespace muster {
namespace {

// A pod with these members beside its name, in flow style.
PodObject pod_with(std::string_view metadata, std::string_view spec = "", std::string_view status = "") {
  Collected c = decoded(
      fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: a, {}}}, spec: {{{}}}, status: {{{}}}}}",
                  metadata, spec, status));
  EXPECT_EQ(c.findings_text(), "");
  EXPECT_EQ(c.all<PodObject>().size(), 1u);
  return c.all<PodObject>().empty() ? PodObject{} : c.all<PodObject>()[0];
}

TEST(Pod, HasTheDefaultsOfTheContract) {
  const PodObject pod = pod_with("");
  EXPECT_EQ(pod.meta.ns, "default");
  EXPECT_EQ(pod.meta.name, "a");
  EXPECT_EQ(pod.meta.uid, "default/a");
  EXPECT_EQ(pod.meta.created, kTestNow);
  EXPECT_EQ(pod.phase, PodPhase::kPending);
  EXPECT_EQ(pod.scheduler, "default-scheduler");
  EXPECT_EQ(pod.gpu, GpuRequest{});
  EXPECT_EQ(pod.constraints, Constraints{});
  EXPECT_TRUE(pod.requests.empty());
  EXPECT_FALSE(pod.gated || pod.guaranteed || pod.deletion || pod.stays_terminating);
}

TEST(Pod, ReadsIdentityAndState) {
  const PodObject pod =
      decoded(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"ns","uid":"u",
    "creationTimestamp":"2025-05-01T00:00:00Z","deletionTimestamp":"2025-06-01T11:00:00Z",
    "labels":{"z":"1","app":"web","kai.scheduler/subgroup-name":"w","kai.scheduler/preemptibility":"Preemptible",
              "kai.scheduler/task-priority":"x","training.kubeflow.org/job-role":"master","ray.io/node-type":"head"},
    "annotations":{"pod-group-name":"g","muster.dev/stays-terminating":"true",
      "kai.scheduler/numa-placement-observed":"[{\"zone\":\"node-1\"}]",
      "kai.scheduler/numa-placement-predicted":"[{\"zone\":\"node-2\"}]"}},
    "spec":{"schedulerName":"kai-scheduler","nodeName":"n1","schedulingGates":[{"name":"x"}],
            "priorityClassName":"p","priority":7},
    "status":{"phase":"Running","nominatedNodeName":"n2","qosClass":"Guaranteed"}})")
          .all<PodObject>()
          .at(0);
  EXPECT_EQ(pod.meta.uid, "u");
  EXPECT_EQ(format_time(pod.meta.created), "2025-05-01T00:00:00Z");
  EXPECT_EQ(format_time(pod.deletion.value()), "2025-06-01T11:00:00Z");
  EXPECT_EQ(pod.meta.labels.front().first, "app");
  EXPECT_EQ(pod.meta.labels.back().first, "z");
  EXPECT_EQ(pod.app, "web");
  EXPECT_EQ(pod.sub_group, "w");
  EXPECT_EQ(pod.preemptibility, "Preemptible");
  EXPECT_EQ(pod.task_priority, "x");
  EXPECT_TRUE(pod.leads_kubeflow && pod.leads_ray && pod.gated && pod.stays_terminating && pod.guaranteed);
  EXPECT_EQ(pod.pod_group, "g");
  EXPECT_EQ(pod.numa_observed.at(0).zone, "node-1");
  EXPECT_EQ(pod.numa_predicted.at(0).zone, "node-2");
  EXPECT_EQ(pod.scheduler, "kai-scheduler");
  EXPECT_EQ(pod.node, "n1");
  EXPECT_EQ(pod.nominated_node, "n2");
  EXPECT_EQ(pod.phase, PodPhase::kRunning);
  EXPECT_EQ(pod.constraints.priority_class, "p");
  EXPECT_EQ(pod.constraints.priority, 7);
}

struct RequestCase {
  const char* spec;
  const char* requests;
};

TEST(Pod, AddsUpItsContainers) {
  const RequestCase cases[] = {
      {"containers: [{}]", ""},
      {"containers: [{resources: {requests: {cpu: 1, memory: 1Gi}, limits: {cpu: 9}}}, "
       "{resources: {requests: {cpu: 500m}}}]",
       "cpu 1500, memory 1073741824"},
      // a missing request is the limit, as in the API server
      {"containers: [{resources: {limits: {cpu: 9, nvidia.com/gpu: 1}}}]", "cpu 9000, nvidia.com/gpu 1000"},
      {"containers: [{resources: {requests: {cpu: 0}, limits: {cpu: 9, memory: 5}}}]", "memory 5"},
      {"initContainers: [{resources: {limits: {cpu: 3}}}], containers: [{resources: {limits: {cpu: 2}}}]",
       "cpu 3000"},
      // peak: 3000 plus the earlier sidecar; app + sidecars: 2000 + 1000 + 100
      {"initContainers: [{restartPolicy: Always, resources: {requests: {cpu: 1}}}, "
       "{resources: {requests: {cpu: 3, memory: 5}}}, {restartPolicy: Always, resources: {requests: {cpu: "
       "100m}}}], "
       "containers: [{resources: {requests: {cpu: 2, memory: 7}}}]",
       "cpu 4000, memory 7"},
      {"containers: [{resources: {requests: {cpu: 1}}}], overhead: {cpu: 250m, memory: 10, nvidia.com/gpu: "
       "1}",
       "cpu 1250, memory 10"},
      // GPUs of both vendors add up; devices of other vendors are ordinary extended resources
      {"containers: [{resources: {requests: {nvidia.com/gpu: 2, amd.com/gpu: 1, gpu.intel.com/gpu: 3, "
       "example.com/fpga: 1, hugepages-2Mi: 4Mi, attachable-volumes-x: 1, kubernetes.io/batch-cpu: 2, "
       "ephemeral-storage: 1k, storage: 2k, nonsense: 5, requests.example.com/x: 1, pods: 3}}}]",
       "attachable-volumes-x 1000, ephemeral-storage 1000, example.com/fpga 1000, gpu.intel.com/gpu 3000, "
       "hugepages-2Mi 4194304000, kubernetes.io/batch-cpu 2000, nvidia.com/gpu 3000, storage 2000"},
      {"containers: [{resources: {requests: {cpu: 1.0005, memory: 1.5, nvidia.com/gpu: 0}}}]",
       "cpu 1001, memory 2"},
      {"containers: [{resources: {requests: {memory: 9E}}}, {resources: {requests: {memory: 9E, "
       "nvidia.com/gpu: 9E}}}]",
       "memory 9223372036854775807, nvidia.com/gpu 9223372036854775807"},
  };
  for (const auto& [spec, requests] : cases)
    EXPECT_EQ(text_of(pod_with("", spec).requests), requests) << spec;
}

TEST(Pod, MayRequestForAllContainersTogether) {
  const std::pair<const char*, const char*> cases[] = {
      {"resources: {requests: {cpu: 4, memory: 8}}, containers: [{resources: {requests: {cpu: 1}}}]",
       "cpu 4000, memory 8"},
      {"resources: {limits: {cpu: 4}}, containers: [{}]", "cpu 4000"},
      {"resources: {limits: {cpu: 4}}, containers: [{resources: {requests: {cpu: 1}}}]", ""},
      {"resources: {requests: {cpu: 4, nvidia.com/gpu: 1}}, containers: [{}], overhead: {cpu: 250m}",
       "cpu 4250"},
      {"resources: {requests: {hugepages-2Mi: 4Mi}}, containers: [{}]", "hugepages-2Mi 4194304000"},
  };
  for (const auto& [spec, pod_level] : cases)
    EXPECT_EQ(text_of(pod_with("", spec).pod_level), pod_level) << spec;
  EXPECT_TRUE(pod_with("", "resources: {limits: {cpu: 4, memory: 8}}, containers: [{}]").guaranteed);
  EXPECT_FALSE(pod_with("", "resources: {limits: {cpu: 4}}, containers: [{}]").guaranteed);
}

struct GpuCase {
  const char* annotations;
  const char* requests;  // of the container
  GpuRequest gpu;
  const char* expected;
};

TEST(Pod, ReadsGpuRequests) {
  using enum GpuRequestType;
  const GpuCase cases[] = {
      {"", "nvidia.com/gpu: 2", {.devices = 2}, "nvidia.com/gpu 2000"},
      {"", "nvidia.com/gpu: 0", {}, ""},
      {"gpu-fraction: '0.07'", "cpu: 1", {.type = kFraction, .devices = 1, .portion = 0.07}, "cpu 1000"},
      {"gpu-fraction: '1'", "", {.type = kFraction, .devices = 1, .portion = 1}, ""},
      {"gpu-memory: '500'", "nvidia.com/gpu: 1", {.type = kGpuMemory, .devices = 1, .memory_mib = 500}, ""},
      {"gpu-memory: '500', gpu-fraction: '0.5'", "", {.type = kFraction, .devices = 1, .portion = 0.5}, ""},
      {"gpu-memory: '60', gpu-fraction-num-devices: '2'",
       "",
       {.type = kGpuMemory, .devices = 2, .memory_mib = 60},
       ""},
      {"gpu-fraction-num-devices: '2'", "nvidia.com/gpu: 1", {.devices = 1}, "nvidia.com/gpu 1000"},
      {"", "nvidia.com/mig-1g.5gb: 2", {.type = kMig}, "nvidia.com/mig-1g.5gb 2"},
      {"nvidia.com/mig-2g.10gb: '1', nvidia.com/mig-1g.5gb: '3'",
       "nvidia.com/gpu: 4",
       {.type = kMig, .legacy_mig = true},
       "nvidia.com/mig-1g.5gb 3"},
  };
  for (const auto& [annotations, requests, gpu, expected] : cases) {
    const PodObject pod =
        pod_with(fmt::format("annotations: {{{}}}", annotations),
                 fmt::format("containers: [{{resources: {{requests: {{{}}}}}}}]", requests));
    EXPECT_EQ(pod.gpu, gpu) << annotations << requests;
    EXPECT_EQ(text_of(pod.requests), expected) << annotations << requests;
  }
}

TEST(Pod, WarnsOfInvalidGpuAnnotations) {
  for (const char* bad : {"gpu-fraction: '0'", "gpu-fraction: '1.5'", "gpu-fraction: half",
                          "gpu-fraction: nan", "gpu-memory: '-1'", "gpu-memory: 1Gi",
                          "gpu-fraction-num-devices: '0'", "nvidia.com/mig-1g.5gb: many"}) {
    const Collected c = decoded(
        fmt::format("apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    {}\n", bad));
    ASSERT_EQ(c.all<PodObject>().size(), 1u) << bad;
    EXPECT_EQ(c.all<PodObject>()[0].gpu, GpuRequest{}) << bad;
    EXPECT_EQ(c.all<PodObject>()[0].constraints.bad_gpu_requests.size(), 1u) << bad;
    ASSERT_EQ(c.findings.warnings.size(), 1u) << bad;
    EXPECT_EQ(c.findings.warnings[0].where.line, 6) << bad;
  }
}

TEST(Pod, KeepsBadGpuRequestsAsWritten) {
  using Bad = std::vector<std::pair<std::string, std::string>>;
  const auto bad = [](const std::string& annotations, const std::string& limits) {
    return decoded(
               fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: a, annotations: {{{}}}}}, spec: "
                           "{{containers: [{{resources: {{limits: {{{}}}}}}}]}}}}",
                           annotations, limits))
        .all<PodObject>()
        .at(0)
        .constraints.bad_gpu_requests;
  };
  EXPECT_EQ(bad("gpu-fraction: '1.5'", ""), (Bad{{"gpu-fraction", "1.5"}}));
  EXPECT_EQ(bad("gpu-memory: '99999999999999999999'", ""), (Bad{{"gpu-memory", "99999999999999999999"}}));
  EXPECT_EQ(bad("", "nvidia.com/gpu: 500m"), (Bad{{"nvidia.com/gpu", "500m"}}));
  EXPECT_EQ(bad("", "nvidia.com/gpu: 1.5"), (Bad{{"nvidia.com/gpu", "1.5"}}));
  EXPECT_EQ(bad("", "nvidia.com/mig-1g.5gb: '0.5'"), (Bad{{"nvidia.com/mig-1g.5gb", "0.5"}}));
  EXPECT_EQ(bad("gpu-fraction: '0.5'", "nvidia.com/gpu: '2', cpu: 500m, example.com/fpga: 500m"), Bad{});
  EXPECT_EQ(bad("", "nvidia.com/gpu: 1k"), Bad{});
  EXPECT_EQ(bad("", "nvidia.com/gpu: '9999999999999999999'"), Bad{});
}

TEST(Pod, KeepsTheGroupsOfSeveralDevices) {
  EXPECT_EQ(pod_with("labels: {runai-gpu-group/b: b, runai-gpu-group/a: a}").gpu_groups,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(
      pod_with(
          "labels: {runai-gpu-group/a: a, runai-gpu-group: z, runai-gpu-group/z: z, runai-gpu-groups: n}")
          .gpu_groups,
      (std::vector<std::string>{"z", "a"}));
}

TEST(Pod, IsGuaranteedWhereEveryContainerLimitsWhatItRequests) {
  const std::pair<const char*, bool> cases[] = {
      {"", false},
      {"containers: []", false},
      {"containers: [{resources: {limits: {cpu: 1, memory: 1}}}]", true},
      {"containers: [{resources: {limits: {cpu: 1, memory: 1}, requests: {cpu: 1000m}}}]", true},
      {"containers: [{resources: {limits: {cpu: 1, memory: 1}, requests: {cpu: 500m}}}]", false},
      {"containers: [{resources: {limits: {cpu: 1, memory: 1}}}, {}]", false},
      {"containers: [{resources: {limits: {cpu: 1, memory: 1}}}], initContainers: [{}]", false},
  };
  for (const auto& [spec, guaranteed] : cases) EXPECT_EQ(pod_with("", spec).guaranteed, guaranteed) << spec;
}

TEST(Pod, ReadsPhases) {
  using enum PodPhase;
  const std::pair<const char*, PodPhase> cases[] = {{"", kPending},
                                                    {"phase: Pending", kPending},
                                                    {"phase: Running", kRunning},
                                                    {"phase: Succeeded", kSucceeded},
                                                    {"phase: Failed", kFailed},
                                                    {"phase: Unknown", kUnknown}};
  for (const auto& [status, phase] : cases) EXPECT_EQ(pod_with("", "", status).phase, phase) << status;
}

}  // namespace
}  // namespace muster
