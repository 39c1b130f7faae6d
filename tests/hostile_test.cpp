// Objects that nobody means, one by one and at random: they cost only themselves, and the others are
// scheduled. tenants.md 1.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "cli/policy.hpp"
#include "tests/check_clusters.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

using testing::HasSubstr;

std::string warnings_of(TestCluster& c) {
  c.cluster().refresh(c.now());
  std::string text;
  for (const ObjectWarning& w : c.cluster().take_warnings())
    text += fmt::format("{}: {}: {}\n", w.object, w.field, w.message);
  return text;
}

// ---------------------------------------------------------------- queues

TEST(Hostile, AJobWithAnExpectedRuntimeInAQueueThatIsItsOwnAncestor) {
  TestCluster c;
  c.node("n1", {.gpus = 2});
  c.queue("a", {.parent = "b"}).queue("b", {.parent = "a"}).queue("own", {.parent = "own"});
  for (const char* queue : {"a", "own"}) {
    const std::string name = queue;
    c.running("r-" + name, {.queue = name, .node = "n1", .expected_runtime = "1m"});
    c.running("s-" + name, {.queue = name, .node = "n1", .preemptibility = "semi-preemptible"});
    c.pending("p-" + name, {.queue = name, .expected_runtime = "0", .requeue_delay = "1s"});
  }
  c.node("n2", {.gpus = 1}).pending("fine");
  EXPECT_EQ(c.cycle(), "bind fine-0 n2");
  EXPECT_EQ(c.cluster().recount(), "");
}

}  // namespace
}  // namespace muster
