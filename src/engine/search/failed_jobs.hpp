// Jobs that no search could help: one that is alike and no easier is not tried. actions.md 10.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <utility>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

// Remembers nothing where signatures are off.
class FailedJobs {
 public:
  explicit FailedJobs(const Session& session) : session_(session) {}
  // The like job of the pool that failed, where this one is no easier.
  JobId covering(QueueId pool, JobId job) const;
  void add(QueueId pool, JobId job);

 private:
  using Amounts = std::array<std::int64_t, 4>;  // cpu, memory, gpu, gpu memory
  using Key = std::pair<QueueId, std::uint32_t>;
  std::vector<Amounts> pending_requests(JobId job) const;

  struct Failed {
    JobId job;
    std::vector<Amounts> requests;
  };
  const Session& session_;
  absl::flat_hash_map<Key, Failed> smallest_;
};

}  // namespace muster
