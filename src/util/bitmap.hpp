// A set of small integers below a fixed size, one bit each: which nodes fit, which are feasible.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

// Two bitmaps are combined or compared word by word and must have the same size.
class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(std::size_t size) : size_(size), words_((size + kBits - 1) / kBits) {}

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const {
    assert(i < size_);
    return (words_[i / kBits] & bit(i)) != 0;
  }
  void set(std::size_t i) {
    assert(i < size_);
    words_[i / kBits] |= bit(i);
  }
  void reset(std::size_t i) {
    assert(i < size_);
    words_[i / kBits] &= ~bit(i);
  }
  void set(std::size_t i, bool value) { value ? set(i) : reset(i); }

  // All of them, or none.
  void fill() {
    for (Word& w : words_) w = ~Word{0};
    if (size_ % kBits != 0) words_.back() = bit(size_) - 1;
  }
  void clear() {
    for (Word& w : words_) w = 0;
  }

  std::size_t count() const {
    std::size_t sum = 0;
    for (const Word w : words_) sum += static_cast<std::size_t>(std::popcount(w));
    return sum;
  }
  bool any() const {
    for (const Word w : words_)
      if (w != 0) return true;
    return false;
  }

  Bitmap& operator&=(const Bitmap& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
    return *this;
  }
  Bitmap& operator|=(const Bitmap& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  // Takes out what is in `other`.
  Bitmap& and_not(const Bitmap& other) {
    assert(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
    return *this;
  }

  // The smallest member, and the smallest above `after`; size() if there is none.
  std::size_t first() const { return at_or_above(0); }
  std::size_t next(std::size_t after) const { return at_or_above(after + 1); }

  // Calls fn(i) for every member, smallest first. Members that fn sets or resets in this bitmap may be
  // missed.
  template <class Fn>
  void for_each(Fn&& fn) const {
    for (std::size_t at = 0; at < words_.size(); ++at)
      for (Word w = words_[at]; w != 0; w &= w - 1) fn(at * kBits + lowest(w));
  }

  bool operator==(const Bitmap&) const = default;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kBits = 64;
  static constexpr Word bit(std::size_t i) { return Word{1} << (i % kBits); }
  static std::size_t lowest(Word w) { return static_cast<std::size_t>(std::countr_zero(w)); }

  std::size_t at_or_above(std::size_t from) const {
    if (from >= size_) return size_;
    std::size_t at = from / kBits;
    Word w = words_[at] & ~(bit(from) - 1);
    while (w == 0) {
      if (++at == words_.size()) return size_;
      w = words_[at];
    }
    return at * kBits + lowest(w);
  }

  std::size_t size_ = 0;
  std::vector<Word> words_;  // bits from size_ on are always 0
};

}  // namespace muster
