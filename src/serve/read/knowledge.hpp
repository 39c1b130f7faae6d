// What is known of the live cluster, for those who write to it: they ask, and add what their writes bring.
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

// By annotation; nothing: it is to be removed.
using AnnotationChanges = std::map<std::string, std::optional<std::string>>;

class Knowledge {
 public:
  virtual ~Knowledge() = default;

  virtual bool knows(const kube::Resource& kind, std::string_view ns, std::string_view name) const = 0;
  virtual bool knows_any(const kube::Resource& kind) const = 0;
  // The kind in the version that the API server has.
  virtual const kube::Resource& served(const kube::Resource& kind) const = 0;
  // Of the object as it was last seen; "" where it is not known.
  virtual std::string version_of(const kube::Resource& kind, const std::string& ns,
                                 const std::string& name) const = 0;
  // How long ago the watch first showed the pod; nothing if it came with a list.
  virtual std::optional<kube::Clock::duration> time_since_seen(const std::string& uid) const = 0;
  // Group and sub group that a pod has joined and does not name yet; null where there is none.
  virtual const std::pair<std::string, std::string>* group_of(const std::string& uid) const = 0;

  // The object that a request of ours was answered with: news like an event of the watch, unless something
  // newer is known. Only of kinds that are watched.
  virtual void saw(const kube::Resource& kind, std::string_view object) = 0;
  // Likewise, even if it was known before: something else was assumed of it since.
  virtual void saw_unchanged(const kube::Resource& kind, std::string_view object) = 0;
  // An object that we are about to write, as it will look: the model need not wait for it.
  virtual void assume(const kube::Resource& kind, const std::string& object) = 0;
  // An object that was assumed and will not be written.
  virtual void retract(const kube::Resource& kind, const std::string& ns, const std::string& name) = 0;
  // A pod has been given to a group.
  virtual void join(const std::string& uid, const std::string& group, const std::string& sub_group) = 0;
  // What a decision let us assume will not happen.
  virtual void end_bind(const std::string& ns, const std::string& name, const std::string& uid) = 0;
  virtual void end_eviction(const std::string& ns, const std::string& name, const std::string& uid) = 0;
  virtual void end_annotations(const std::string& ns, const std::string& name) = 0;
};

}  // namespace muster::serve
