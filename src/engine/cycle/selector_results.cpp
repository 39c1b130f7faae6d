// Results are in columns: one for each selector and version of a slice.
#include "engine/cycle/selector_results.hpp"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

// Bytes: fewer are not worth a sweep, more are not kept.
constexpr std::size_t kFewest = 1 << 20, kMost = 128 << 20;

}  // namespace

// ---------------------------------------------------------------- one selector

SelectorResult ResultsOfSelector::find(const ResourceSliceObject& slice, std::size_t device) const {
  const auto found = by_slice_.find(slice.version);
  return found == by_slice_.end() ? SelectorResult() : found->second[device];
}

void ResultsOfSelector::keep(const ResourceSliceObject& slice, std::size_t device, SelectorResult result) {
  auto& column = by_slice_[slice.version];
  if (column.empty()) {
    column.resize(slice.devices.size());
    bytes_ += column.size() * sizeof(SelectorResult);
  }
  column[device] = result;
}

void ResultsOfSelector::keep_failure(const ResourceSliceObject& slice, std::size_t device,
                                     std::uint32_t steps, const std::string& why) {
  const auto [found, is_new] = failure_ids_.try_emplace(why, static_cast<std::uint32_t>(failures_.size()));
  if (is_new) failures_.push_back(why), bytes_ += 2 * why.size();
  keep(slice, device, {SelectorResult::Verdict::kFailed, steps, found->second});
}

void ResultsOfSelector::keep_only(const absl::flat_hash_set<std::uint64_t>& versions) {
  absl::erase_if(by_slice_, [&](const auto& entry) {
    if (versions.contains(entry.first)) return false;
    bytes_ -= entry.second.size() * sizeof(SelectorResult);
    return true;
  });
}

// ---------------------------------------------------------------- all selectors

ResultsOfSelector& SelectorResults::of(const std::string& selector) {
  Entry& entry = by_text_[selector];
  if (entry.results == nullptr) entry.results = std::make_unique<ResultsOfSelector>(selector);
  entry.last_used = cycle_;
  return *entry.results;
}

void SelectorResults::cycle_begins(const DeviceTable& devices) {
  if (std::exchange(are_unfinished_, false)) ++progress_;
  ++cycle_;
  steps_ = 0;
  if (bytes() < sweep_at_) return;
  absl::erase_if(by_text_, [&](const auto& entry) { return entry.second.last_used + 1 < cycle_; });
  absl::flat_hash_set<std::uint64_t> current;
  for (const ResourceSliceObject* slice : devices.current_slices()) current.insert(slice->version);
  for (auto& [text, entry] : by_text_) entry.results->keep_only(current);
  if (bytes() > kMost) by_text_.clear();
  sweep_at_ = std::max(kFewest, 2 * bytes());
}

std::size_t SelectorResults::bytes() const {
  std::size_t sum = 0;
  for (const auto& [text, entry] : by_text_) sum += entry.results->bytes();
  return sum;
}

}  // namespace muster
