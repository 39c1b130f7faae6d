// The memory of a Reflector: which objects are known, in which version, and whether a list is needed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "util/recent.hpp"

namespace muster::kube {

// Objects are keyed by "ns/name".
class KnownObjects {
 public:
  // ---- lists
  // Requires a list that has not begun yet. A list in progress may already have passed the objects in
  // question.
  void want_list() { wanted_ = begun_ + 1; }
  bool wants_list() const { return ended_ < wanted_; }
  void begin_list() { ++begun_; }
  // Ends a list of this version. Returns the objects that have been deleted: the list does not have them, and
  // they are not newer than the list.
  std::vector<std::string> end_list(std::uint64_t version);
  // Ends a list that got no answer; it no longer counts as required.
  void end_list_without_answer() { ended_ = begun_; }

  // ---- objects; these return true if the change is new
  bool take_listed(const std::string& key, std::uint64_t version);
  bool take(const std::string& key, std::uint64_t version);
  bool take_deletion(const std::string& key, std::uint64_t version);
  // Keeps an object that is in the list but cannot be read.
  void keep(const std::string& key);
  // The next change of this object counts as new unless it is older than `version`.
  void forget_version(const std::string& key, std::uint64_t version);
  void forget_versions();

  bool contains(const std::string& key) const { return known_.contains(key); }
  std::size_t size() const { return known_.size(); }
  // Returns 0 if the object is not known.
  std::uint64_t version_of(const std::string& key) const;
  // Remembers only the last ten thousand deletions.
  bool was_deleted_after(const std::string& key, std::uint64_t version) const;
  template <class Use>
  void each(Use&& use) const {
    for (const auto& [key, known] : known_) use(key, known.version);
  }

 private:
  struct Known {
    std::uint64_t version = 0;
    std::uint64_t list = 0;  // the last list that had it
  };
  absl::flat_hash_map<std::string, Known> known_;
  Recent<std::uint64_t> deleted_{10'000};             // the versions of deletions
  std::uint64_t wanted_ = 1, begun_ = 0, ended_ = 0;  // numbers of lists
};

}  // namespace muster::kube
