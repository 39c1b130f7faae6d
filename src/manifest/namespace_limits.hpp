// What LimitRanges do to pods when they are created: containers get what they do not say, and pods that ask
// for too much or too little are refused. Live, the API server does that; for files we do.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/amounts.hpp"
#include "model/objects.hpp"

namespace muster {

class NamespaceLimits {
 public:
  void add(const LimitRangeObject& range);
  bool empty() const { return items_.empty(); }

  // Requests and limits that a container of the namespace leaves out.
  void complete(std::string_view ns, Amounts& requests, Amounts& limits) const;
  // Why the API server would refuse a container, or a pod with these sums; "" where it would not.
  std::string refusal(std::string_view ns, bool of_pod, const Amounts& requests, const Amounts& limits) const;

 private:
  struct Item {
    std::string range;  // its name
    LimitRangeItem item;
  };
  std::map<std::string, std::vector<Item>, std::less<>> items_;  // by namespace
};

}  // namespace muster
