// What new pods get from their RuntimeClass.
#include <gtest/gtest.h>

#include "manifest/runtime_classes.hpp"
#include "manifest/testing.hpp"

namespace muster {
namespace {

class RuntimeClassOfPods : public testing::Test {
 protected:
  RuntimeClassOfPods() {
    const Collected c = decoded(R"(
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: kata}
handler: kata
overhead: {podFixed: {cpu: 250m, memory: 120Mi}}
scheduling:
  nodeSelector: {runtime: kata}
  tolerations: [{key: kata, operator: Exists}]
)");
    EXPECT_EQ(c.findings_text(), "");
    for (const RuntimeClassObject& each : c.all<RuntimeClassObject>()) classes_.add(each);
  }
  PodObject pod(const std::string& spec, const std::string& metadata = "name: p") {
    const Collected c = decoded("{apiVersion: v1, kind: Pod, metadata: {" + metadata + "}, spec: {" + spec +
                                    "containers: [{name: m, resources: {requests: {cpu: 1}}}]}}",
                                "f.yaml", {.now = kTestNow, .runtime_classes = &classes_});
    said_ = c.findings_text();
    return c.all<PodObject>().empty() ? PodObject() : c.all<PodObject>().front();
  }
  RuntimeClasses classes_;
  std::string said_;
};

TEST_F(RuntimeClassOfPods, GivesOverheadSelectorAndTolerations) {
  const PodObject p = pod("runtimeClassName: kata, nodeSelector: {zone: a}, ");
  EXPECT_EQ(said_, "");
  EXPECT_EQ(text_of(p.requests), "cpu 1250, memory 125829120");
  EXPECT_EQ(p.constraints.node_selector, (Labels{{"runtime", "kata"}, {"zone", "a"}}));
  ASSERT_EQ(p.constraints.tolerations.size(), 1U);
  EXPECT_EQ(p.constraints.tolerations[0].key, "kata");
}

TEST_F(RuntimeClassOfPods, AddsNothingTwice) {
  const PodObject p =
      pod("runtimeClassName: kata, overhead: {cpu: 250m, memory: 120Mi}, nodeSelector: {runtime: kata}, "
          "tolerations: [{key: kata, operator: Exists}], ");
  EXPECT_EQ(said_, "");
  EXPECT_EQ(text_of(p.requests), "cpu 1250, memory 125829120");
  EXPECT_EQ(p.constraints.node_selector.size(), 1U);
  EXPECT_EQ(p.constraints.tolerations.size(), 1U);
}

TEST_F(RuntimeClassOfPods, GivesNothingToPodsThatTheApiServerSaw) {
  const PodObject p = pod("runtimeClassName: kata, ", "name: p, uid: u");
  EXPECT_EQ(text_of(p.requests), "cpu 1000");
  EXPECT_EQ(p.runtime_class, "");
  EXPECT_TRUE(p.constraints.node_selector.empty());
}

TEST_F(RuntimeClassOfPods, IsKeptInThePodIfUnknown) {
  EXPECT_EQ(pod("runtimeClassName: gvisor, ").runtime_class, "gvisor");
  EXPECT_EQ(said_, "");
  EXPECT_EQ(pod("").runtime_class, "");
}

TEST_F(RuntimeClassOfPods, ReportsPodsThatTheApiServerWouldReject) {
  EXPECT_EQ(text_of(pod("runtimeClassName: kata, overhead: {cpu: 1}, ").requests), "cpu 2000");
  EXPECT_EQ(
      said_,
      "W f.yaml:1: Pod default/p: spec.overhead: differs from that of RuntimeClass kata; the API server "
      "would reject this pod\n");
  pod("runtimeClassName: kata, nodeSelector: {runtime: runc}, ");
  EXPECT_EQ(said_,
            "W f.yaml:1: Pod default/p: spec.nodeSelector: has runtime=runc, but RuntimeClass kata has "
            "runtime=kata; the API server would reject this pod\n");
}

}  // namespace
}  // namespace muster
