// The objects that have changed, and the warnings from reading them, for reports to users.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <set>
#include <string>

namespace muster::serve {

// Changes since they were last taken. Names are those of key_of().
struct ObjectChanges {
  using Names = absl::flat_hash_set<std::string>;
  Names jobs, queues;
  Names nodes;           // also those whose pods changed
  Names pods;            // only pods with warnings, now or before
  bool classes = false;  // priority classes or topologies

  std::size_t size() const { return jobs.size() + queues.size() + nodes.size() + pods.size(); }
};

// The current warnings from reading objects.
class ReadWarnings {
 public:
  using Texts = std::set<std::string>;

  // To be called when the object is read again or gone. Returns true if it had warnings.
  bool forget(const std::string& object) { return texts_.erase(object) > 0; }
  // `object` is "PodGroup ns/name" or "Queue name".
  void add(const std::string& object, const std::string& field, const std::string& message) {
    texts_[object].insert(field + ": " + message);
  }
  bool empty() const { return texts_.empty(); }
  const Texts& of(const std::string& object) const {
    static const Texts none;
    const auto found = texts_.find(object);
    return found == texts_.end() ? none : found->second;
  }

 private:
  absl::flat_hash_map<std::string, Texts> texts_;
};

}  // namespace muster::serve
