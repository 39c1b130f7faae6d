// Reuses the ids of interned values that are no longer in use.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "util/id_vector.hpp"

namespace muster {

// The set of ids of a table that are in use, collected in one pass over their users.
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
  // Returns the smallest free id, or grows the table by one.
  template <class T>
  I take(IdVector<I, T>& table) {
    if (free_.empty()) return table.push_back({});
    const I id = free_.back();
    free_.pop_back();
    return id;
  }
  // Clears all unused entries and erases them from `index`, whose values are ids.
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
