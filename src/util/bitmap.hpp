// A set of small integers below a fixed size with one bit per integer, for example the nodes that fit.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

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

  // Adds all members.
  void fill() {
    for (Word& w : words_) w = ~Word{0};
    if (size_ % kBits != 0) words_.back() = bit(size_) - 1;
  }
  void clear() {
    for (Word& w : words_) w = 0;
  }

  // Calls fn(i) for every member in ascending order. Members that fn itself adds or removes may be missed.
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

  std::size_t size_ = 0;
  std::vector<Word> words_;  // bits from size_ on are always 0
};

}  // namespace muster
