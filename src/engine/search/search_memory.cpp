// A search is recalled only where the cluster's objects and placements are still the same.
#include "engine/search/search_memory.hpp"

#include <absl/hash/hash.h>

namespace muster {
namespace {

std::string key_of(const Cluster& cluster, const std::string& action, JobId job) {
  return action + " " + cluster.job(job).full_name();
}

// Objects and placements alike.
std::size_t state_of(const Cluster& cluster) {
  return absl::HashOf(cluster.revision(), cluster.fingerprint());
}

}  // namespace

void SearchMemory::recall(const Cluster& cluster, const std::string& action, JobId job,
                          FailedScenarios& failed) const {
  if (cut_short_.empty()) return;
  const auto found = cut_short_.find(key_of(cluster, action, job));
  if (found != cut_short_.end() && found->second.state == state_of(cluster)) failed = found->second.failed;
}

void SearchMemory::remember(const Cluster& cluster, const std::string& action, JobId job,
                            FailedScenarios failed) {
  cut_short_[key_of(cluster, action, job)] = {.state = state_of(cluster), .failed = std::move(failed)};
}

void SearchMemory::forget(const Cluster& cluster, const std::string& action, JobId job) {
  if (!cut_short_.empty()) cut_short_.erase(key_of(cluster, action, job));
}

}  // namespace muster
