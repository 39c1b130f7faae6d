// Sets of ids with constant-time insert and erase.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "util/id_vector.hpp"

namespace muster {

// The order of items() is arbitrary: sort it before it can affect a decision.
template <class I>
class IdSet {
 public:
  bool contains(I id) const { return id.index() < at_.size() && at_[id.index()] != kOut; }
  void insert(I id) {
    if (contains(id)) return;
    if (id.index() >= at_.size()) at_.resize(id.index() + 1, kOut);
    at_[id.index()] = static_cast<std::uint32_t>(items_.size());
    items_.push_back(id);
  }
  void erase(I id) {
    if (!contains(id)) return;
    const std::uint32_t hole = at_[id.index()];
    items_[hole] = items_.back();
    at_[items_[hole].index()] = hole;
    at_[id.index()] = kOut;
    items_.pop_back();
  }
  void set(I id, bool member) { member ? insert(id) : erase(id); }
  const std::vector<I>& items() const { return items_; }
  bool empty() const { return items_.empty(); }
  void clear() {
    items_.clear();
    at_.clear();
  }

 private:
  static constexpr std::uint32_t kOut = 0xFFFFFFFF;
  std::vector<I> items_;
  std::vector<std::uint32_t> at_;
};

// A set that is cleared in constant time but cannot be listed.
template <class I>
class Stamps {
 public:
  void clear() { ++now_; }
  // Makes room for this many ids.
  void reserve(std::size_t ids) { marks_.resize(std::max(ids, marks_.size()), 0); }
  bool contains(I id) const { return id.index() < marks_.size() && marks_[id.index()] == now_; }
  // Returns false if it was in the set already.
  bool insert(I id) {
    if (id.index() >= marks_.size()) marks_.resize(id.index() + 1, 0);
    if (marks_[id.index()] == now_) return false;
    marks_[id.index()] = now_;
    return true;
  }
  void erase(I id) {
    if (id.index() < marks_.size()) marks_[id.index()] = 0;
  }

 private:
  std::uint64_t now_ = 1;
  std::vector<std::uint64_t> marks_;
};

}  // namespace muster
