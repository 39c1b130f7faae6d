// The effect of LimitRanges on new pods: containers get default requests and limits, and pods outside the
// bounds are rejected. In a cluster the API server does this; for pods from files, muster does.
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

  // Adds the default requests and limits that a container of the namespace omits.
  void complete(std::string_view ns, Amounts& requests, Amounts& limits) const;
  // Why the API server would reject a container, or a pod with these sums; "" if it would not.
  std::string refusal(std::string_view ns, bool of_pod, const Amounts& requests, const Amounts& limits) const;

 private:
  struct Item {
    std::string range;  // name of the LimitRange
    LimitRangeItem item;
  };
  std::map<std::string, std::vector<Item>, std::less<>> items_;  // by namespace
};

}  // namespace muster
