// Keeps objects as the API server sent them, for snapshots.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document/json_fwd.hpp"

namespace muster::kube {
struct Resource;
}

namespace muster::serve {

struct ObjectText {
  std::string kind, api_version;
  std::shared_ptr<const std::string> json;
};

class ObjectTexts {
 public:
  void put(const kube::Resource& resource, Json object);
  void erase(std::string_view kind, std::string_view ns, std::string_view name);
  // Ordered by kind and name. Copies only pointers, since the texts are shared.
  std::vector<ObjectText> all() const;

 private:
  std::map<std::pair<std::string, std::string>, ObjectText> texts_;  // by kind and key
};

}  // namespace muster::serve
