// Sets of ids that are emptied at once.
#pragma once

#include <cstdint>
#include <vector>

namespace muster {

// A set of ids that is emptied in constant time.
template <class I>
class Stamps {
 public:
  void clear() { ++now_; }
  bool contains(I id) const { return id.index() < marks_.size() && marks_[id.index()] == now_; }
  // False if it was there already.
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
