// The known state of the live cluster, for code that writes to it: it queries objects and reports the results
// of its writes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kube/clock.hpp"

namespace muster::kube {
struct Resource;
}

namespace muster::serve {

// The new values by annotation; nullopt removes it.
using AnnotationChanges = std::map<std::string, std::optional<std::string>>;

class ObservedState {
 public:
  virtual ~ObservedState() = default;

  virtual bool knows(const kube::Resource& kind, std::string_view ns, std::string_view name) const = 0;
  virtual bool knows_any(const kube::Resource& kind) const = 0;
  // The kind in the version that the API server serves.
  virtual const kube::Resource& served(const kube::Resource& kind) const = 0;
  // The resourceVersion of the object as last seen; "" if it is unknown.
  virtual std::string version_of(const kube::Resource& kind, const std::string& ns,
                                 const std::string& name) const = 0;
  // How long ago the watch first showed the pod; nullopt if a list did.
  virtual std::optional<kube::Clock::duration> time_since_seen(const std::string& uid) const = 0;
  // The group and sub group that a pod has joined and does not name yet; null if there is none.
  virtual const std::pair<std::string, std::string>* group_of(const std::string& uid) const = 0;

  // Takes the object from the answer to a request of this scheduler like an event of the watch, unless a
  // newer version is known. REQUIRES: the kind is watched.
  virtual void saw(const kube::Resource& kind, std::string_view object) = 0;
  // Likewise, even if this version was known before, because changes were assumed since then.
  virtual void saw_unchanged(const kube::Resource& kind, std::string_view object) = 0;
  // Adds an object that is about to be written to the model.
  virtual void assume(const kube::Resource& kind, const std::string& object) = 0;
  // Removes an assumed object that will not be written.
  virtual void retract(const kube::Resource& kind, const std::string& ns, const std::string& name) = 0;
  // Adds a pod to a PodGroup that its object does not name yet.
  virtual void join(const std::string& uid, const std::string& group, const std::string& sub_group) = 0;
  // Each drops an assumption that turned out wrong.
  virtual void end_bind(const std::string& ns, const std::string& name, const std::string& uid) = 0;
  virtual void end_eviction(const std::string& ns, const std::string& name, const std::string& uid) = 0;
  virtual void end_annotations(const std::string& ns, const std::string& name) = 0;
};

}  // namespace muster::serve
