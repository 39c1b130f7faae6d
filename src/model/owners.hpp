// The owners of pods: follows owner references upwards through the known objects.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <optional>
#include <string>
#include <string_view>

#include "model/free_ids.hpp"
#include "model/ids.hpp"
#include "model/job.hpp"
#include "model/objects.hpp"

namespace muster {

class OwnerTable {
 public:
  OwnerId mention(std::string_view ns, const OwnerReference& reference);
  // Both return whether the label of some top-level owner may have changed.
  bool apply(OwnerObject&& object);
  bool remove(std::string_view kind, std::string_view ns, std::string_view name);
  // The preemptibility from the owners' labels; the topmost owner takes precedence. An unknown owner ends the
  // chain.
  std::optional<Preemptibility> preemptibility(OwnerId owner) const;

  std::size_t size() const { return references_.size(); }
  std::size_t count() const { return references_.size() - free_.size() + owners_.size(); }
  // Drops all other references, and owners that no reference leads to.
  void keep_only(const Marks<OwnerId>& used);

 private:
  struct Reference {
    std::string key, uid;
  };
  struct Owner {
    std::string uid;  // "" if not given
    std::string preemptibility;
    Reference above;  // key is "" if there is none
    bool operator==(const Owner& o) const {
      return uid == o.uid && preemptibility == o.preemptibility && above.key == o.above.key &&
             above.uid == o.above.uid;
    }
  };
  const Owner* find(const Reference& reference) const;

  FreeIds<OwnerId> free_;
  IdVector<OwnerId, Reference> references_;
  absl::flat_hash_map<std::string, OwnerId> reference_ids_;  // key and uid
  absl::flat_hash_map<std::string, Owner> owners_;
  std::size_t labelled_ = 0;
};

}  // namespace muster
