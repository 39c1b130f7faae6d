// Which objects the watches changed, and what reading them had to say: for those who tell users about their
// objects.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <set>
#include <string>

namespace muster::serve {

// Since somebody last asked. Names as key_of() has them.
struct ObjectChanges {
  using Names = absl::flat_hash_set<std::string>;
  Names jobs, queues;
  Names nodes;           // also those whose pods changed
  Names pods;            // only where reading has or had something to say
  bool classes = false;  // priority classes or topologies

  std::size_t size() const { return jobs.size() + queues.size() + nodes.size() + pods.size(); }
};

// What reading an object had to say of it, as long as it is so.
class ReadWarnings {
 public:
  using Texts = std::set<std::string>;

  // The object is read once more: whether something had been said of it.
  bool forget(const std::string& object) { return texts_.erase(object) > 0; }
  // Object: "PodGroup ns/name", "Queue name".
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
