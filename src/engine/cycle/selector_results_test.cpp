// Results hold for a version of a slice, and do not pile up.
#include "engine/cycle/selector_results.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Verdict = SelectorResult::Verdict;

ResourceSliceObject slice(const std::string& name, std::size_t devices, const std::string& model = "A") {
  ResourceSliceObject made{.meta = {.name = name}, .driver = "gpu.example.com", .pool = name};
  for (std::size_t i = 0; i < devices; ++i)
    made.devices.push_back({.name = std::to_string(i), .attributes = {{.name = "model", .text = model}}});
  return made;
}

const ResourceSliceObject& only_slice(const DeviceTable& table) { return *table.current_slices().front(); }

TEST(SelectorResults, HoldForAVersionOfASlice) {
  DeviceTable table;
  table.apply(slice("s", 2));
  SelectorResults results;
  results.of("x").keep(only_slice(table), 1, {Verdict::kYes, 7});
  EXPECT_EQ(results.of("x").find(only_slice(table), 1).verdict, Verdict::kYes);
  EXPECT_EQ(results.of("x").find(only_slice(table), 0).verdict, Verdict::kUnknown);
  EXPECT_EQ(results.of("y").find(only_slice(table), 1).verdict, Verdict::kUnknown);
  table.apply(slice("s", 2));
  EXPECT_EQ(results.of("x").find(only_slice(table), 1).steps, 7U) << "applied again as it was";
  table.apply(slice("s", 2, "B"));
  EXPECT_EQ(results.of("x").find(only_slice(table), 1).verdict, Verdict::kUnknown);
}

TEST(SelectorResults, KeepWhyASelectorFailed) {
  DeviceTable table;
  table.apply(slice("s", 3));
  SelectorResults results;
  ResultsOfSelector& of = results.of("x");
  of.keep_failure(only_slice(table), 0, 5, "no such attribute");
  of.keep_failure(only_slice(table), 1, 5, "division by zero");
  of.keep_failure(only_slice(table), 2, 6, "no such attribute");
  EXPECT_EQ(of.failure(of.find(only_slice(table), 1)), "division by zero");
  EXPECT_EQ(of.failure(of.find(only_slice(table), 2)), "no such attribute");
  EXPECT_EQ(of.find(only_slice(table), 2).steps, 6U);
}

// Keeps a result of a selector on every device.
void evaluate_all(const DeviceTable& table, SelectorResults& results, const std::string& selector) {
  for (const ResourceSliceObject* s : table.current_slices())
    for (std::size_t d = 0; d < s->devices.size(); ++d) results.of(selector).keep(*s, d, {Verdict::kNo, 1});
}

TEST(SelectorResults, AreDroppedWithTheirClaims) {
  DeviceTable table;
  for (int i = 0; i < 50; ++i) table.apply(slice("s" + std::to_string(i), 100));
  SelectorResults results;
  std::size_t most = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    results.cycle_begins(table);
    evaluate_all(table, results, "ordinary");
    evaluate_all(table, results, "of cycle " + std::to_string(cycle));
    most = std::max(most, results.bytes());
  }
  EXPECT_LT(most, 2U << 20);
  EXPECT_LT(results.selectors(), 50U);
  EXPECT_EQ(results.of("ordinary").find(*table.current_slices().back(), 99).verdict, Verdict::kNo);
}

TEST(SelectorResults, AreDroppedWithTheirSlices) {
  DeviceTable table;
  SelectorResults results;
  std::size_t most = 0;
  for (int cycle = 0; cycle < 200; ++cycle) {
    for (int i = 0; i < 50; ++i) table.apply(slice("s" + std::to_string(i), 100, std::to_string(cycle)));
    results.cycle_begins(table);
    evaluate_all(table, results, "ordinary");
    most = std::max(most, results.bytes());
  }
  EXPECT_LT(most, 2U << 20);
}

TEST(SelectorResults, MoreThanFitInTheLimitAreForgotten) {
  DeviceTable table;
  table.apply(slice("s", 100'000));
  SelectorResults results;
  results.cycle_begins(table);
  for (int i = 0; i < 120; ++i)
    results.of("selector " + std::to_string(i)).keep(only_slice(table), 0, {Verdict::kNo, 1});
  EXPECT_GT(results.bytes(), 128U << 20);
  results.cycle_begins(table);
  EXPECT_EQ(results.bytes(), 0U);
}

TEST(SelectorResults, ProgressIsMadeAfterAnUnfinishedCycle) {
  DeviceTable table;
  SelectorResults results;
  results.cycle_begins(table);
  results.count(5);
  results.note_unfinished();
  EXPECT_EQ(results.steps(), 5);
  EXPECT_EQ(results.progress(), 0U);
  results.cycle_begins(table);
  EXPECT_EQ(results.progress(), 1U);
  EXPECT_EQ(results.steps(), 0);
  EXPECT_FALSE(results.are_unfinished());
  results.cycle_begins(table);
  EXPECT_EQ(results.progress(), 1U);
}

}  // namespace
}  // namespace muster
