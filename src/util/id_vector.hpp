// Dense typed ids of four bytes, and vectors that are indexed by one id type only.
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace muster {

template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}
  constexpr bool valid() const { return value_ != kNone; }
  constexpr std::uint32_t index() const { return value_; }
  constexpr auto operator<=>(const Id&) const = default;

  template <class H>
  friend H AbslHashValue(H h, Id id) {
    return H::combine(std::move(h), id.value_);
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = kNone;
};

template <class I, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}

  decltype(auto) operator[](I id) {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  decltype(auto) operator[](I id) const {
    assert(id.index() < items_.size());
    return items_[id.index()];
  }
  I push_back(T value) {
    items_.push_back(std::move(value));
    return I(items_.size() - 1);
  }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(I id) const { return id.index() < items_.size(); }
  void resize(std::size_t size, const T& value = T()) { items_.resize(size, value); }
  void assign(std::size_t size, const T& value) { items_.assign(size, value); }
  void reserve(std::size_t size) { items_.reserve(size); }
  void clear() { items_.clear(); }
  I end_id() const { return I(items_.size()); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  const T* data() const { return items_.data(); }
  T* data() { return items_.data(); }
  bool operator==(const IdVector&) const = default;

 private:
  std::vector<T> items_;
};

// The ids of a vector, for loops such as for (NodeId n : ids(nodes)).
template <class I>
struct IdRange {
  struct Iterator {
    std::uint32_t at;
    I operator*() const { return I(at); }
    Iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  std::uint32_t size;
  Iterator begin() const { return {0}; }
  Iterator end() const { return {size}; }
};
template <class I, class T>
IdRange<I> ids(const IdVector<I, T>& v) {
  return {static_cast<std::uint32_t>(v.size())};
}

}  // namespace muster
