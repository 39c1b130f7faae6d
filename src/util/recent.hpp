// A map with text keys that drops entries not used recently, so that keys that never come back do not pile
// up.
#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace muster {

// Keeps at least the `fewest` most recently used entries, and never more than twice as many.
template <class Value>
class Recent {
 public:
  explicit Recent(std::size_t fewest) : fewest_(fewest) {
    assert(fewest > 0 && "the map must keep at least one entry");
  }

  // Counts as use. Returns null if the key is unknown. The pointer is valid until the next find() or put().
  Value* find(const std::string& key) {
    if (const auto found = young_.find(key); found != young_.end()) return &found->second;
    auto again = old_.extract(key);
    if (again.empty()) return nullptr;
    if (young_.size() >= fewest_) forget_unused();
    return &young_.insert(std::move(again)).position->second;
  }
  // Does not count as use.
  const Value* peek(const std::string& key) const {
    for (const Entries* entries : {&young_, &old_})
      if (const auto found = entries->find(key); found != entries->end()) return &found->second;
    return nullptr;
  }
  Value& put(const std::string& key, Value value) {
    if (Value* known = find(key)) return *known = std::move(value);
    if (young_.size() >= fewest_) forget_unused();
    return young_.emplace(key, std::move(value)).first->second;
  }
  void erase(const std::string& key) {
    young_.erase(key);
    old_.erase(key);
  }
  // Drops entries that were not used since the last call, whether explicit or because the map was full.
  void forget_unused() { old_ = std::exchange(young_, {}); }
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Entries = std::unordered_map<std::string, Value>;
  Entries young_, old_;  // used since the last call of forget_unused(), and before
  std::size_t fewest_;
};

}  // namespace muster
