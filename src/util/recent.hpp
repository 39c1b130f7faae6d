// A map by text that forgets what nobody used of late, so that names that never come back do not pile up.
#pragma once

#include <cassert>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

namespace muster {

// At least the `fewest` entries that were used last are known, and never more than twice as many.
template <class Value>
class Recent {
 public:
  explicit Recent(std::size_t fewest) : fewest_(fewest) { assert(fewest > 0 && "something is remembered"); }

  // Counts as use. Null: nobody knows. Good until something else is put or found.
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
  // What was not used since the last call, made here or by a table that was full.
  void forget_unused() { old_ = std::exchange(young_, {}); }
  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  using Entries = std::unordered_map<std::string, Value>;
  Entries young_, old_;  // used since, and before, something was last forgotten
  std::size_t fewest_;
};

}  // namespace muster
