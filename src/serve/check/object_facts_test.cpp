// Differences between two models of the same objects.
#include "serve/check/object_facts.hpp"

#include <gtest/gtest.h>

#include "model/cluster.hpp"

namespace muster::serve {
namespace {

QueueObject queue(std::int32_t priority) {
  QueueObject object{.meta = {.name = "q"}};
  object.priority = priority;
  return object;
}

NodeObject node(std::int64_t gpus, Labels labels = {}) {
  return {.meta = {.name = "n", .labels = std::move(labels)}, .allocatable = {{"nvidia.com/gpu", gpus}}};
}

PodGroupObject group(std::string queue_name) {
  PodGroupObject object{.meta = {.ns = "ns", .name = "g"}};
  object.queue = std::move(queue_name);
  return object;
}

struct Models {
  Cluster found{ClusterOptions{}}, expected{ClusterOptions{}};
  std::string difference(const std::string& kind, const std::string& name) const {
    return serve::difference(facts_of(found, kind, "ns", name), facts_of(expected, kind, "ns", name));
  }
};

TEST(ObjectFacts, OfEqualObjectsAreEqual) {
  Models models;
  for (Cluster* c : {&models.found, &models.expected}) {
    c->apply(queue(100));
    c->apply(node(4000));
    c->apply(group("q"));
  }
  EXPECT_EQ(models.difference("Queue", "q"), "");
  EXPECT_EQ(models.difference("Node", "n"), "");
  EXPECT_EQ(models.difference("PodGroup", "g"), "");
  EXPECT_EQ(models.difference("Node", "unknown"), "");
}

TEST(ObjectFacts, NameTheFirstDifference) {
  Models models;
  models.found.apply(queue(100));
  models.expected.apply(queue(50));
  models.found.apply(node(4000));
  models.expected.apply(node(4000, {{"zone", "a"}}));
  models.found.apply(group("q"));
  models.expected.apply(group("other"));
  EXPECT_EQ(models.difference("Queue", "q"), "priority is 100, should be 50");
  EXPECT_EQ(models.difference("Node", "n"), "labels is , should be zone=a");
  EXPECT_EQ(models.difference("PodGroup", "g"), "queue is q, should be other");
}

TEST(ObjectFacts, ReportMissingAndUnexpectedObjects) {
  Models models;
  models.found.apply(queue(100));
  models.expected.apply(node(4000));
  EXPECT_EQ(models.difference("Queue", "q"), "should not be in the model");
  EXPECT_EQ(models.difference("Node", "n"), "is missing");
}

}  // namespace
}  // namespace muster::serve
