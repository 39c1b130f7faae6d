// Requirements, node terms, taints and ports.
#include "model/selectors.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

Requirement in(std::string key, std::vector<std::string> values) {
  return {std::move(key), Operator::kIn, std::move(values)};
}

TEST(Selectors, RequirementsOnOneValue) {
  const std::string five = "5", word = "five";
  struct Case {
    Operator op;
    std::vector<std::string> values;
    const std::string* value;
    bool matches;
  };
  const Case cases[] = {
      {Operator::kIn, {"4", "5"}, &five, true},    {Operator::kIn, {"4"}, &five, false},
      {Operator::kIn, {"5"}, nullptr, false},      {Operator::kNotIn, {"5"}, &five, false},
      {Operator::kNotIn, {"4"}, &five, true},      {Operator::kNotIn, {"5"}, nullptr, true},
      {Operator::kExists, {}, &five, true},        {Operator::kExists, {}, nullptr, false},
      {Operator::kDoesNotExist, {}, &five, false}, {Operator::kDoesNotExist, {}, nullptr, true},
      {Operator::kGt, {"4"}, &five, true},         {Operator::kGt, {"5"}, &five, false},
      {Operator::kGt, {"-10"}, &five, true},       {Operator::kGt, {"+4"}, &five, true},
      {Operator::kGt, {"4"}, &word, false},        {Operator::kGt, {"four"}, &five, false},
      {Operator::kGt, {"4"}, nullptr, false},      {Operator::kGt, {"3", "4"}, &five, false},
      {Operator::kLt, {"10"}, &five, true},        {Operator::kLt, {"5"}, &five, false},
      {Operator::kLt, {"10"}, nullptr, false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(matches(Requirement{"key", c.op, c.values}, c.value), c.matches)
        << "operator " << static_cast<int>(c.op) << " value " << (c.value != nullptr ? *c.value : "absent");
}

TEST(Selectors, AnAbsentSelectorMatchesNothingAnEmptyOneEverything) {
  const Labels labels{{"app", "web"}, {"tier", "front"}};
  EXPECT_FALSE(matches(LabelSelector{}, labels));
  EXPECT_TRUE(matches(LabelSelector{.present = true, .requirements = {}}, labels));
  EXPECT_TRUE(matches(LabelSelector{true, {in("app", {"web"}), in("tier", {"front", "back"})}}, labels));
  EXPECT_FALSE(matches(LabelSelector{true, {in("app", {"web"}), in("tier", {"back"})}}, labels));
}

TEST(Selectors, NodeTermsAreAlternativesAndTheirRequirementsAreNot) {
  const Node node{.name = "n1", .labels = {{"disk", "ssd"}, {"zone", "a"}}};
  const NodeTerm ssd_in_a{{in("disk", {"ssd"}), in("zone", {"a"})}, {}};
  const NodeTerm ssd_in_b{{in("disk", {"ssd"}), in("zone", {"b"})}, {}};
  const NodeTerm named{{}, {in("metadata.name", {"n1"})}};
  const NodeTerm named_in_b{{in("zone", {"b"})}, {in("metadata.name", {"n1"})}};
  const NodeTerm by_other_field{{}, {in("metadata.uid", {"n1"})}};
  const auto any = [&](std::vector<NodeTerm> terms) { return matches_any(terms, node); };
  EXPECT_TRUE(any({ssd_in_a}));
  EXPECT_FALSE(any({ssd_in_b}));
  EXPECT_TRUE(any({ssd_in_b, ssd_in_a}));
  EXPECT_TRUE(any({named}));
  EXPECT_FALSE(any({named_in_b}));
  EXPECT_FALSE(any({by_other_field}));
  EXPECT_FALSE(any({NodeTerm{}}));
  EXPECT_FALSE(any({}));
}

TEST(Selectors, NodeSelectorAndRequiredAffinityMustBothMatch) {
  const Node node{.name = "n1", .labels = {{"zone", "a"}}};
  const NodeTerm in_a{{in("zone", {"a"})}, {}}, in_b{{in("zone", {"b"})}, {}};
  EXPECT_TRUE(selects({}, node));
  EXPECT_TRUE(selects({.node_selector = {{"zone", "a"}}}, node));
  EXPECT_FALSE(selects({.node_selector = {{"zone", "b"}}}, node));
  EXPECT_FALSE(selects({.node_selector = {{"disk", "ssd"}}}, node));
  const Constraints both{
      .node_selector = {{"zone", "a"}}, .has_required_affinity = true, .required_affinity = {in_a}};
  EXPECT_TRUE(selects(both, node));
  EXPECT_FALSE(selects({.has_required_affinity = true, .required_affinity = {in_b}}, node));
  EXPECT_FALSE(selects({.has_required_affinity = true}, node));
}

TEST(Selectors, Tolerations) {
  const Taint gpu{"gpu", "a100", TaintEffect::kNoSchedule};
  struct Case {
    Toleration toleration;
    bool tolerates;
  };
  const Case cases[] = {
      {{.key = "gpu", .value = "a100"}, true},
      {{.key = "gpu", .value = "h100"}, false},
      {{.key = "gpu", .exists = true}, true},
      {{.key = "cpu", .exists = true}, false},
      {{.exists = true}, true},
      {{.value = "a100"}, true},
      {{.exists = true, .effect = TaintEffect::kNoSchedule}, true},
      {{.exists = true, .effect = TaintEffect::kNoExecute}, false},
      {{}, false},
  };
  for (const Case& c : cases)
    EXPECT_EQ(tolerates(c.toleration, gpu), c.tolerates) << c.toleration.key << "=" << c.toleration.value;
}

TEST(Selectors, OnlyTaintsThatKeepPodsAwayMustBeTolerated) {
  const std::vector<Taint> hard{{"a", "", TaintEffect::kNoSchedule}, {"b", "", TaintEffect::kNoExecute}};
  const std::vector<Taint> soft{{"c", "", TaintEffect::kPreferNoSchedule}};
  const std::vector<Toleration> a{{.key = "a", .exists = true}};
  const std::vector<Toleration> both{{.key = "a", .exists = true}, {.key = "b", .exists = true}};
  EXPECT_FALSE(tolerates_all({}, hard));
  EXPECT_FALSE(tolerates_all(a, hard));
  EXPECT_TRUE(tolerates_all(both, hard));
  EXPECT_TRUE(tolerates_all({}, soft));
}

TEST(Selectors, HostPorts) {
  const HostPort every{"0.0.0.0", "TCP", 80}, one{"10.0.0.1", "TCP", 80}, other{"10.0.0.2", "TCP", 80};
  EXPECT_TRUE(collide(one, one));
  EXPECT_TRUE(collide(every, one));
  EXPECT_TRUE(collide(one, every));
  EXPECT_FALSE(collide(one, other));
  EXPECT_FALSE(collide(every, HostPort{"0.0.0.0", "UDP", 80}));
  EXPECT_FALSE(collide(every, HostPort{"0.0.0.0", "TCP", 81}));
  const std::vector<HostPort> web{{"0.0.0.0", "TCP", 81}, one};
  EXPECT_TRUE(collide(web, std::vector{other, every}));
  EXPECT_FALSE(collide(web, std::vector{other}));
  EXPECT_FALSE(collide(web, std::vector<HostPort>{}));
}

}  // namespace
}  // namespace muster
