// How far up owner references are followed: whoever may write objects may write a chain without end.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "grouper/fields.hpp"

namespace muster::serve {

class OwnerChain {
 public:
  // False: the reference is none, was followed before, or is too far up.
  bool follows(const nlohmann::json& reference) {
    return reference.is_object() && met_.size() < kLongest &&
           met_.insert(grouper::text_at(reference, "/uid")).second;
  }

 private:
  static constexpr std::size_t kLongest = 16;
  std::set<std::string> met_;  // uids
};

}  // namespace muster::serve
