// Applies LimitRanges and runtime classes to pods from files, as the API server does when it creates a pod.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/namespace_limits.hpp"
#include "manifest/runtime_classes.hpp"

namespace muster::loader {

class Admission {
 public:
  // Valid as long as this object lives.
  DecodeOptions options(TimePoint now) const {
    return {.now = now, .limits = &limits_, .runtime_classes = &runtime_classes_};
  }
  // Call for every decoded object.
  void note(const Object& object);
  // Whether a LimitRange or runtime class came after a pod, so that pods must be decoded again.
  bool has_late_rules() const { return has_late_rules_; }
  // One warning per runtime class that pods name but the files do not define.
  std::vector<ObjectWarning> warnings() const;

 private:
  NamespaceLimits limits_;
  RuntimeClasses runtime_classes_;
  std::map<std::string, std::set<std::string>> pods_of_runtime_;  // by the name of the class
  bool has_pods_ = false, has_late_rules_ = false;
};

}  // namespace muster::loader
