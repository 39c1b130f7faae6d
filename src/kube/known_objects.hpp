// What a Reflector remembers: which objects are known, at which version, and whether a list is needed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <string>
#include <vector>

#include "util/recent.hpp"

namespace muster::kube {

// Objects go by "ns/name".
class KnownObjects {
 public:
  // ---- lists
  // One that has yet to begin: what is under way may have passed over what it is for.
  void want_list() { wanted_ = begun_ + 1; }
  bool wants_list() const { return ended_ < wanted_; }
  void begin_list() { ++begun_; }
  // The list holds for this version. The objects that are gone since they were last seen: it does not have
  // them, and they are no newer.
  std::vector<std::string> end_list(std::uint64_t version);
  // There was no list, and none is waited for any more.
  void end_list_without_answer() { ended_ = begun_; }

  // ---- objects; true where it is news
  bool take_listed(const std::string& key, std::uint64_t version);
  bool take(const std::string& key, std::uint64_t version);
  bool take_deletion(const std::string& key, std::uint64_t version);
  // In the list, but it can not be read.
  void keep(const std::string& key);
  // What comes next is news, unless it is older.
  void forget_version(const std::string& key, std::uint64_t version);
  void forget_versions();

  bool contains(const std::string& key) const { return known_.contains(key); }
  std::size_t size() const { return known_.size(); }
  // 0 if it is not known.
  std::uint64_t version_of(const std::string& key) const;
  // Only of late: of the last ten thousand that were.
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
  Recent<std::uint64_t> deleted_{10'000};             // at which version
  std::uint64_t wanted_ = 1, begun_ = 0, ended_ = 0;  // numbers of lists
};

}  // namespace muster::kube
