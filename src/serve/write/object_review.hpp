// What there is to say to users about their live objects: what reading them brought, and the checks that
// files get, too. Costs what changed: an object is looked at when it, or a queue or class it depends on, did.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "checks/checks.hpp"
#include "serve/read/object_changes.hpp"

namespace muster::serve {

struct Notice {
  std::string kind, ns, name;
  std::vector<std::string> texts;        // "field: message"; none: it is as it should be
  std::vector<std::string> from_checks;  // those of them that reading did not bring
};

class ObjectReview {
 public:
  explicit ObjectReview(bool reclaims_by_lca) : reclaims_by_lca_(reclaims_by_lca) {}

  // Every object that was looked at, on a refreshed cluster.
  std::vector<Notice> look(const Cluster& cluster, const ObjectChanges& changes, const ReadWarnings& read);

 private:
  enum class Extent { kNothing, kQueues, kQueuesAndJobs };
  // How far the changes of queues reach.
  Extent reach_of(const Cluster& cluster, const ObjectChanges& changes);

  const bool reclaims_by_lca_;
  struct Facts {
    std::string place, amounts;
  };
  absl::flat_hash_map<std::string, Facts> queues_;  // as last looked at
};

}  // namespace muster::serve
