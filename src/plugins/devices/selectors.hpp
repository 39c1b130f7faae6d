// Evaluates the selectors of requests, and of their classes, on devices, within limits of steps.
//
// Tenants write the selectors of claims. A claim whose selectors are too much work waits, and so does one
// whose namespace has had its part of a cycle's steps; the claims of other namespaces are served.
// Administrators write the selectors of classes: they count for no claim.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <string_view>

#include "cel/expression.hpp"
#include "engine/cycle/selector_results.hpp"

namespace muster::plugins {

// For one claim: all its selectors on all devices, whether their results were known or not. Usual selectors
// take 20 to 60 steps on a device; a small cluster has room for unusual ones.
inline constexpr std::int64_t kStepsPerClaim = 100'000, kStepsPerClaimAndDevice = 500;
// To begin an evaluation, in addition to those that it takes.
inline constexpr std::int64_t kStepsToBegin = 10;
// New evaluations in one cycle, some 0.1 s of work (cel/steps.hpp). Once they are used up, each namespace
// still has its own part.
inline constexpr std::int64_t kStepsPerCycle = 10'000'000, kStepsPerNamespace = 1'000'000;

class SelectorEvaluator {
 public:
  explicit SelectorEvaluator(SelectorResults& results) : results_(results) {}
  // Returns whether the device meets the selector, or nullopt if no steps are left for it in this cycle. `ns`
  // is the namespace of the claim; "" for a selector of a class.
  std::optional<SelectorResult> evaluate(ResultsOfSelector& selector, const ResourceSliceObject& slice,
                                         const DeviceSpec& device, const std::string& ns);

 private:
  bool has_steps_left(const std::string& ns) const;
  void count(std::int64_t steps, const std::string& ns);
  // An error: it is not in the language.
  const Result<cel::Expression>& parsed(const ResultsOfSelector& selector, const std::string& ns);

  SelectorResults& results_;
  absl::flat_hash_map<std::string, std::int64_t> steps_of_;  // namespaces
  absl::flat_hash_map<const ResultsOfSelector*, Result<cel::Expression>> parsed_;
};

// Null if the device has no such attribute.
const DeviceAttribute* find_attribute(const ResourceSliceObject& slice, const DeviceSpec& device,
                                      std::string_view domain, std::string_view id);

}  // namespace muster::plugins
