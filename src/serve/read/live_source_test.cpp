// Deleted objects leave nothing behind, in whatever order events arrive.
#include "serve/read/live_source.hpp"

#include <gtest/gtest.h>

#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

namespace resources = kube::resources;

class LiveSourceTest : public testing::Test {
 protected:
  void update() { source.update(cluster, TimePoint{}); }
  std::size_t annotated() const {
    std::size_t jobs = 0;
    assumptions.each_annotation([&](const auto&, const auto&) { ++jobs; });
    return jobs;
  }

  kube::Loop loop;
  kube::ApiClient client{loop, {}};
  Log log{0};
  Assumptions assumptions;
  SourceListener listener;
  LiveSource source{client, assumptions, log, listener, {.scheduler_name = "kai-scheduler"}};
  Cluster cluster;
};

// The watch may show the deletion of a PodGroup before our write is answered; the answer then changes
// nothing.
TEST_F(LiveSourceTest, ADeletedPodGroupHasNoAssumptions) {
  source.assume(resources::kPodGroups, R"({"metadata": {"namespace": "default", "name": "g"}})");
  update();
  assumptions.annotate("default", "g", {{keys::kLastStart, "2026-01-01T12:00:00Z"}});
  EXPECT_EQ(annotated(), 1U);
  source.retract(resources::kPodGroups, "default", "g");
  update();
  EXPECT_EQ(annotated(), 0U);
}

TEST_F(LiveSourceTest, AnEndedBindIsRememberedWhileItsPodExists) {
  source.assume(resources::kPods, R"({"metadata": {"namespace": "default", "name": "p", "uid": "1"},
                                      "spec": {"schedulerName": "kai-scheduler", "containers": []}})");
  source.end_bind("default", "p", "1");
  update();
  EXPECT_EQ(source.abandoned_binds(), 1U);
  source.retract(resources::kPods, "default", "p");
  source.end_bind("default", "p", "1");
  update();
  EXPECT_EQ(source.abandoned_binds(), 0U);
}

}  // namespace
}  // namespace muster::serve
