// Limits how far owner references are followed: users can write objects with an endless chain of owners.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "grouper/fields.hpp"

namespace muster::serve {

class OwnerChain {
 public:
  // Returns false if the reference is invalid, was already followed, or is too far up.
  bool follows(const nlohmann::json& reference) {
    return reference.is_object() && met_.size() < kLongest &&
           met_.insert(grouper::text_at(reference, "/uid")).second;
  }

 private:
  static constexpr std::size_t kLongest = 16;
  std::set<std::string> met_;  // uids
};

}  // namespace muster::serve
