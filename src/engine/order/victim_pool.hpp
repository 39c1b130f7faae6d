// The running jobs that may be evicted, kept sorted per leaf queue for as long as an action runs, and handed
// to the next one. actions.md 6.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class VictimPool {
 public:
  // Who is served before whom: the reverse of victim order.
  using Before = std::function<bool(const JobEntry&, const JobEntry&)>;

  // All evictable jobs, in seniority.
  explicit VictimPool(Session& session);
  // The evictable ones among these.
  VictimPool(Session& session, std::span<const JobId> jobs, Before before);
  bool before(const JobEntry& a, const JobEntry& b) const { return before_(a, b); }
  // Evictable jobs of a leaf queue: lowest priority, most surplus, newest first.
  std::span<const JobEntry> of(QueueId leaf);
  // The same in no particular order: for sums.
  std::span<const JobEntry> all_of(QueueId leaf) const { return by_queue_[leaf].jobs(); }
  // Nobody, then all leaf queues, depth first.
  std::span<const QueueId> leaves() const { return leaves_; }
  // Tasks of these jobs changed for good.
  void update(std::span<const JobId> jobs);
  // Nothing has changed since it was made or last updated.
  bool is_up_to_date() const { return as_of_ == session_.changes(); }
  // As if it were made now.
  void forget_bounds();
  // Grows with every update.
  std::uint64_t version() const { return version_; }
  // What the job's tasks hold, as they asked for it.
  const Charge& held(JobId job) const { return session_.cluster.job(job).held; }
  // No job of the leaf has more GPUs than this, in thousandths, as its nodes count them.
  std::int64_t largest(QueueId leaf);

 private:
  struct Leaf {
    std::vector<JobEntry> list;
    std::size_t first = 0;  // before it are places of jobs that are gone
    bool is_sorted = false;
    std::size_t moved = 0;  // of the jobs, how many are to be taken out
    std::optional<std::int64_t> largest;

    std::span<JobEntry> jobs() { return std::span(list).subspan(first); }
    std::span<const JobEntry> jobs() const { return std::span(list).subspan(first); }
  };
  bool is_evictable(JobId job) const;
  auto in_victim_order() const {
    return [this](const JobEntry& a, const JobEntry& b) { return before_(b, a); };
  }
  void insert(JobId job);
  void erase_moved(Leaf& leaf);

  Session& session_;
  Before before_;
  std::optional<absl::flat_hash_set<JobId>> members_;  // nothing: all jobs
  std::vector<QueueId> leaves_;
  IdVector<QueueId, Leaf> by_queue_;
  Stamps<JobId> listed_, moved_;
  std::uint64_t version_ = 0, as_of_ = 0;
};

}  // namespace muster
