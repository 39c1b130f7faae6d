// Collects what to report about live objects: warnings from reading them, and the checks that are also
// applied to files. Only changes cost time: an object is checked again when it, or a queue or class that it
// depends on, has changed.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>
#include <vector>

#include "checks/checks.hpp"
#include "serve/read/object_changes.hpp"

namespace muster::serve {

struct Notice {
  std::string kind, ns, name;
  std::vector<std::string> texts;        // "field: message"; empty: the object has no problems
  std::vector<std::string> from_checks;  // the subset that comes from checks rather than from reading
};

class ObjectReview {
 public:
  explicit ObjectReview(bool reclaims_by_lca) : reclaims_by_lca_(reclaims_by_lca) {}

  // Returns a notice for every object that was checked. REQUIRES: the cluster has been refreshed.
  std::vector<Notice> look(const Cluster& cluster, const ObjectChanges& changes, const ReadWarnings& read);

 private:
  enum class Extent { kNothing, kQueues, kQueuesAndJobs };
  // Which objects the changes of queues affect.
  Extent reach_of(const Cluster& cluster, const ObjectChanges& changes);

  const bool reclaims_by_lca_;
  struct Facts {
    std::string place, amounts;
  };
  absl::flat_hash_map<std::string, Facts> queues_;  // as of the last check
};

}  // namespace muster::serve
