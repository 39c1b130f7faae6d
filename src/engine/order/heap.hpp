// An array heap whose sequence of steps is part of the contract: with stale or equal entries, the result
// depends on what is compared when. fairshare.md 7.
#pragma once

#include <utility>
#include <vector>

namespace muster::heap {

template <class T, class Less>
void sift_down(std::vector<T>& items, std::size_t size, Less less) {
  for (std::size_t parent = 0; 2 * parent + 1 < size;) {
    std::size_t child = 2 * parent + 1;
    if (child + 1 < size && less(items[child + 1], items[child])) ++child;
    if (!less(items[child], items[parent])) return;
    std::swap(items[child], items[parent]);
    parent = child;
  }
}

template <class T, class Less>
void push(std::vector<T>& items, T item, Less less) {
  items.push_back(std::move(item));
  for (std::size_t child = items.size() - 1; child > 0;) {
    const std::size_t parent = (child - 1) / 2;
    if (!less(items[child], items[parent])) return;
    std::swap(items[child], items[parent]);
    child = parent;
  }
}

template <class T, class Less>
T pop(std::vector<T>& items, Less less) {
  std::swap(items.front(), items.back());
  sift_down(items, items.size() - 1, less);
  T top = std::move(items.back());
  items.pop_back();
  return top;
}

}  // namespace muster::heap
