// Claims that are created from templates for pods in files.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTemplate =
    "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one-gpu}, spec: "
    "{spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}}\n";

// A node with two devices, published in a driver's slice.
std::string node_with_devices() {
  return node_yaml("n1", 0) + queue_yaml("team", "", kUnbounded) +
         "---\n{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.example.com}, spec: "
         "{selectors: [{cel: {expression: \"device.driver == 'gpu.example.com'\"}}]}}\n"
         "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: n1-gpus}, spec: "
         "{driver: "
         "gpu.example.com, nodeName: n1, pool: {name: n1, generation: 1, resourceSliceCount: 1}, devices: "
         "[{name: gpu-0}, {name: gpu-1}]}}\n";
}

const std::string kSpec =
    "spec: {schedulerName: kai-scheduler, resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}], "
    "containers: [{name: m, resources: {claims: [{name: gpu}]}}]}";

std::string claiming_pod(const std::string& name, const std::string& metadata) {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", " + metadata + "}, " + kSpec +
         "}\n";
}

class ClaimTemplatesInFiles : public testing::Test {
 protected:
  std::size_t binds(const std::string& text) {
    const Ran ran =
        run_muster({"simulate", files_.add("c.yaml", text), "--now", "2025-06-01T12:00:00Z", "-o", "json"});
    EXPECT_EQ(ran.exit_code, kSuccess) << ran.err;
    said_ = files_.without_root(ran.err);
    return ran.exit_code == kSuccess ? Json::parse(ran.out)["rounds"][0]["binds"].size() : 0;
  }
  TemporaryFiles files_;
  std::string said_;
};

TEST_F(ClaimTemplatesInFiles, EachPodOfAWorkloadGetsItsOwn) {
  EXPECT_EQ(binds(node_with_devices() + kTemplate +
                  "---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: w, " + kTeam +
                  "}, spec: {replicas: 3, template: {" + kSpec + "}}}\n"),
            2U);
  EXPECT_THAT(said_, HasSubstr("note: 3 ResourceClaims created from templates, as a controller would\n"));
  EXPECT_THAT(said_, Not(HasSubstr("not used")));
}

TEST_F(ClaimTemplatesInFiles, BarePodsAndPodsOfAPodGroupGetClaims) {
  EXPECT_EQ(binds(node_with_devices() + claiming_pod("a", kTeam) + kTemplate), 1U);
  EXPECT_EQ(binds(node_with_devices() + group_yaml("j", "team", 1) +
                  claiming_pod("j-0", "annotations: {pod-group-name: j}") + kTemplate),
            1U);
  EXPECT_EQ(said_, "note: 1 ResourceClaim created from templates, as a controller would\n");
}

TEST_F(ClaimTemplatesInFiles, AClaimNamedInThePodIsNotCreatedAgain) {
  std::string made = claiming_pod("j-0", "uid: u, annotations: {pod-group-name: j}");
  made.insert(made.rfind('}'),
              ", status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: j-0-gpu-x}]}");
  const std::string claim =
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: j-0-gpu-x}, spec: "
      "{devices: "
      "{requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}\n";
  EXPECT_EQ(binds(node_with_devices() + group_yaml("j", "team", 1) + made + claim + kTemplate), 1U);
  EXPECT_EQ(said_, "note: 1 object of kind resource.k8s.io/v1 ResourceClaimTemplate not used\n");
}

TEST_F(ClaimTemplatesInFiles, MalformedStatusIsTolerated) {
  for (const char* status :
       {"7", "{resourceClaimStatuses: x}", "[]", "{resourceClaimStatuses: [1, {name: 2}]}"}) {
    std::string odd = claiming_pod("a", kTeam);
    odd.insert(odd.rfind('}'), std::string(", status: ") + status);
    const Ran ran = run_muster({"validate", files_.add("c.yaml", node_with_devices() + odd + kTemplate)});
    EXPECT_LE(ran.exit_code, kNo) << status;
  }
}

TEST_F(ClaimTemplatesInFiles, AMissingTemplateIsOneWarning) {
  EXPECT_EQ(binds(node_with_devices() + claiming_pod("a", kTeam) + claiming_pod("b", kTeam)), 0U);
  EXPECT_THAT(said_,
              HasSubstr("Pod default/a: spec.resourceClaims: ResourceClaimTemplate \"one-gpu\" is not in "
                        "these files, so the claim that its pods wait for is never created\n"));
  EXPECT_EQ(said_.find("one-gpu"), said_.rfind("one-gpu"));
}

TEST_F(ClaimTemplatesInFiles, ErrorsPointToTheTemplate) {
  const std::string bad =
      "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one-gpu}, spec: "
      "{spec: {devices: {requests: [{name: gpu, exactly: {count: 2}}]}}}}\n";
  const Ran ran =
      run_muster({"validate", files_.add("c.yaml", node_with_devices() + claiming_pod("a", kTeam) + bad)});
  EXPECT_EQ(ran.exit_code, kNo);
  EXPECT_THAT(files_.without_root(ran.out),
              HasSubstr("error: c.yaml:12: ResourceClaimTemplate default/one-gpu: "
                        "spec.spec.devices.requests[0].exactly.deviceClassName: is missing\n"));
}

}  // namespace
}  // namespace muster::cli
