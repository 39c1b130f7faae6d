// Which devices meet which device selectors, kept between cycles.
//
// A result depends only on the text of the selector and on the device, so it holds as long as the version of
// the device's slice. Losing results costs time and may delay claims with costly selectors, but it never
// changes which devices match. Belongs to one cluster.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/devices.hpp"

namespace muster {

struct SelectorResult {
  enum class Verdict : std::uint8_t { kUnknown, kNo, kYes, kFailed };
  Verdict verdict = Verdict::kUnknown;
  std::uint32_t steps = 0;    // of the evaluation
  std::uint32_t failure = 0;  // kFailed: see ResultsOfSelector::failure()
};

// The results of one selector.
class ResultsOfSelector {
 public:
  explicit ResultsOfSelector(std::string_view text) : text_(text), bytes_(2 * text.size()) {}
  const std::string& text() const { return text_; }
  // `device` is the index in the slice. The verdict is kUnknown if there is no result.
  SelectorResult find(const ResourceSliceObject& slice, std::size_t device) const;
  void keep(const ResourceSliceObject& slice, std::size_t device, SelectorResult result);
  // Likewise for kFailed, with the reason.
  void keep_failure(const ResourceSliceObject& slice, std::size_t device, std::uint32_t steps,
                    const std::string& why);
  const std::string& failure(const SelectorResult& result) const { return failures_[result.failure]; }

  std::size_t bytes() const { return bytes_; }  // roughly
  void keep_only(const absl::flat_hash_set<std::uint64_t>& versions);

 private:
  std::string text_;
  absl::flat_hash_map<std::uint64_t, std::vector<SelectorResult>> by_slice_;  // by version
  std::vector<std::string> failures_;
  absl::flat_hash_map<std::string, std::uint32_t> failure_ids_;
  std::size_t bytes_ = 0;
};

class SelectorResults {
 public:
  // Drops what is of no use, once as much was added as was in use after the last time.
  void cycle_begins(const DeviceTable& devices);
  // The reference is valid until the next cycle begins.
  ResultsOfSelector& of(const std::string& selector);

  // Counts the work of this cycle: the steps of evaluations whose results were not known.
  void count(std::int64_t steps) { steps_ += steps; }
  std::int64_t steps() const { return steps_; }
  // A claim waits for the next cycle, which continues to evaluate its selectors.
  void note_unfinished() { are_unfinished_ = true; }
  bool are_unfinished() const { return are_unfinished_; }
  // Increases when claims that had to wait in one cycle may be served in the next.
  std::uint64_t progress() const { return progress_; }

  std::size_t bytes() const;
  std::size_t selectors() const { return by_text_.size(); }

 private:
  struct Entry {
    std::unique_ptr<ResultsOfSelector> results;
    std::uint64_t last_used = 0;  // a cycle
  };
  absl::flat_hash_map<std::string, Entry> by_text_;
  std::size_t sweep_at_ = 1 << 20;  // bytes
  std::uint64_t cycle_ = 0, progress_ = 0;
  std::int64_t steps_ = 0;
  bool are_unfinished_ = false;
};

}  // namespace muster
