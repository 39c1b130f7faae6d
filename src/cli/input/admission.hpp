// What the API server does to pods when they are created, for pods that it did not see: LimitRanges and
// runtime classes of the files have their say.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/namespace_limits.hpp"
#include "manifest/runtime_classes.hpp"

namespace muster::cli {

class Admission {
 public:
  // Valid as long as this lives.
  DecodeOptions options(TimePoint now) const {
    return {.now = now, .limits = &limits_, .runtime_classes = &runtime_classes_};
  }
  // Every object that was decoded.
  void note(const Object& object);
  // Pods came before what has a say: they must be decoded once more.
  bool has_late_rules() const { return has_late_rules_; }
  // Runtime classes that pods name and that are not there, each told of once.
  std::vector<ObjectWarning> warnings() const;

 private:
  NamespaceLimits limits_;
  RuntimeClasses runtime_classes_;
  std::map<std::string, std::set<std::string>> pods_of_runtime_;  // by the name of the class
  bool has_pods_ = false, has_late_rules_ = false;
};

}  // namespace muster::cli
