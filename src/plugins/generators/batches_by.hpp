// Parts shared by the generators: an index of victim batches by node or job, and the registration of a
// generator.
#pragma once

#include <absl/container/inlined_vector.h>

#include <memory>
#include <span>
#include <vector>

#include "engine/cycle/hooks.hpp"

namespace muster::plugins {

// Batch numbers by node or job. clear() takes as long as the filling took, and keeps the memory.
template <class I>
class BatchesBy {
 public:
  void clear() {
    for (I id : order_) lists_[id.index()].clear();
    order_.clear();
  }
  // Returns false if the batch was already there. REQUIRES: batches are added in ascending order.
  bool add(I id, std::uint32_t batch) {
    if (id.index() >= lists_.size()) lists_.resize(id.index() + 1);
    auto& list = lists_[id.index()];
    if (!list.empty() && list.back() == batch) return false;
    if (list.empty()) order_.push_back(id);
    list.push_back(batch);
    return true;
  }
  std::span<const std::uint32_t> of(I id) const {
    return id.index() < lists_.size() ? std::span<const std::uint32_t>(lists_[id.index()])
                                      : std::span<const std::uint32_t>();
  }
  // All keys, in order of first appearance.
  const std::vector<I>& all() const { return order_; }

 private:
  std::vector<absl::InlinedVector<std::uint32_t, 4>> lists_;
  std::vector<I> order_;
};

template <class Generator>
void add_generator(Hooks& hooks, const char* name) {
  hooks.generators.add([name](std::vector<GeneratorFactory>& all) {
    all.push_back({name, [] { return std::make_unique<Generator>(); }});
  });
}

}  // namespace muster::plugins
