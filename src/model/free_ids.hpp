// Ids of interned things that nobody uses any more, for what is interned next.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "util/id_vector.hpp"

namespace muster {

// Which ids of a table are in use, as one pass over their users finds it.
template <class I>
class Marks {
 public:
  explicit Marks(std::size_t size) : marks_(size, false) {}
  void add(I id) {
    if (id.valid()) marks_[id.index()] = true;
  }
  bool contains(I id) const { return marks_[id.index()]; }

 private:
  std::vector<bool> marks_;
};

template <class I>
class FreeIds {
 public:
  // The smallest that is free, or the end of the table, which then grows.
  template <class T>
  I take(IdVector<I, T>& table) {
    if (free_.empty()) return table.push_back({});
    const I id = free_.back();
    free_.pop_back();
    return id;
  }
  // Empties what is not in use, and has it erased from `index`, whose values are ids.
  template <class Index, class T>
  void sweep(Index& index, IdVector<I, T>& table, const Marks<I>& used) {
    for (auto at = index.begin(); at != index.end();) {
      const I id = at->second;
      if (used.contains(id)) {
        ++at;
        continue;
      }
      table[id] = T();
      free_.push_back(id);
      if constexpr (requires { at = index.erase(at); })
        at = index.erase(at);
      else
        index.erase(at++);
    }
    std::sort(free_.begin(), free_.end(), std::greater<>());
  }
  void give(I id) { free_.push_back(id); }
  void sort() { std::sort(free_.begin(), free_.end(), std::greater<>()); }
  std::size_t size() const { return free_.size(); }

 private:
  std::vector<I> free_;
};

}  // namespace muster
