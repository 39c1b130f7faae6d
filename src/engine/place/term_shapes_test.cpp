// Too many similar terms: which of them count, and that the others are reported.
#include "engine/place/term_shapes.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/place/affinity_index.hpp"

namespace muster {
namespace {

constexpr int kMost = kMostTermsAlike;

PodObject pod_with(std::vector<Requirement> requirements, int number, const std::string& ns = "team") {
  PodObject pod;
  pod.meta.ns = ns;
  pod.meta.name = "p" + std::to_string(number);
  pod.meta.uid = ns + "/" + pod.meta.name;
  pod.meta.created = TimePoint() + std::chrono::seconds(number);
  pod.constraints.pod_anti_affinity = {
      {.selector = {.present = true, .requirements = std::move(requirements)}, .topology_key = "zone"}};
  return pod;
}
Requirement other_than(int number) { return {"app", Operator::kNotIn, {std::to_string(number)}}; }
Requirement is(const std::string& key, const std::string& value) { return {key, Operator::kIn, {value}}; }

// The number of pods whose terms are ignored, and the name of the first of them.
std::pair<std::size_t, std::string> left_out(const Cluster& c) {
  const TermShapes shapes = term_shapes(c, TermsOf::kRequired);
  std::string oldest;
  TimePoint since;
  for (const Task& t : c.tasks())
    if (std::ranges::binary_search(shapes.left_out, t.shape) && (oldest.empty() || t.created < since))
      oldest = t.name, since = t.created;
  return {shapes.left_out.size(), oldest};
}

TEST(TermShapes, TermsWithoutALabelValueCountUpToALimitTheOldestFirst) {
  Cluster c;
  for (int i = kMost + 9; i >= 0; --i) c.apply(pod_with({other_than(i)}, i));
  EXPECT_EQ(left_out(c), std::pair(std::size_t{10}, "p" + std::to_string(kMost)));
  EXPECT_EQ(term_shapes(c, TermsOf::kRequired).counted.size(), kMostTermsAlike);
  EXPECT_TRUE(term_shapes(c, TermsOf::kPreferred).counted.empty());
}

TEST(TermShapes, TermsForTheSameValueCountUpToALimit) {
  Cluster c;
  for (int i = 0; i <= kMost; ++i) c.apply(pod_with({is("tier", "web"), other_than(i)}, i));
  EXPECT_EQ(left_out(c).first, 1U);
}

TEST(TermShapes, TermsWithADistinctValueAlwaysCount) {
  Cluster c;
  for (int i = 0; i < 3 * kMost; ++i) c.apply(pod_with({is("tier", "web"), is("job", std::to_string(i))}, i));
  EXPECT_EQ(left_out(c).first, 0U);
}

TEST(TermShapes, EveryNamespaceHasItsOwnLimit) {
  Cluster c;
  for (int i = 0; i < kMost; ++i) c.apply(pod_with({other_than(i)}, i, "a"));
  for (int i = 0; i < kMost; ++i) c.apply(pod_with({other_than(i)}, i, "b"));
  EXPECT_EQ(left_out(c).first, 0U);
}

TEST(TermShapes, ManyPodsWithTheSameTermsCountOnce) {
  Cluster c;
  for (int i = 0; i < 2 * kMost; ++i) {
    PodObject pod = pod_with({other_than(0)}, i);
    pod.requests = {{"cpu", 1000 + i}};
    c.apply(std::move(pod));
  }
  EXPECT_EQ(left_out(c).first, 0U);
}

TEST(TermShapes, TheIndexReportsWhatItLeavesOut) {
  Cluster c;
  for (int i = 0; i <= kMost; ++i) c.apply(pod_with({other_than(i)}, i));
  const AffinityIndex index(c, TermsOf::kRequired);
  int left_out = 0;
  for (const Task& t : c.tasks()) left_out += index.is_left_out(t.shape);
  EXPECT_EQ(left_out, 1);
}

}  // namespace
}  // namespace muster
