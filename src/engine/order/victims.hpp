// The running jobs that may be evicted, in victim order. actions.md 3.4, 6; fairshare.md 7.
//
// VictimPool keeps them sorted per leaf queue for a whole action; VictimOrder serves them to one probe, most
// over-served queue first, and takes jobs apart: surplus tasks one by one, then the rest of the gang.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/stamps.hpp"
#include "engine/search/batches.hpp"

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
  const std::vector<JobEntry>& of(QueueId leaf);
  // The same in no particular order: for sums.
  const std::vector<JobEntry>& all_of(QueueId leaf) const { return by_queue_[leaf].jobs; }
  // Leaf queues that have any, by creation time, then name.
  std::span<const QueueId> leaves() const { return leaves_; }
  // Tasks of these jobs changed for good.
  void changed(std::span<const JobId> jobs);
  // What the job's tasks hold, as they asked for it.
  Charge held(JobId job) const;
  // No job of the leaf has more GPUs than this, in thousandths, as its nodes count them.
  std::int64_t largest(QueueId leaf);

 private:
  struct Leaf {
    std::vector<JobEntry> jobs;
    bool is_sorted = false;
    std::size_t moved = 0;  // of the jobs, how many are to be taken out
    std::optional<std::int64_t> largest;
  };
  bool is_evictable(JobId job) const;
  void list_leaves();
  void insert(JobId job);
  void erase_moved(Leaf& leaf);

  Session& session_;
  Before before_;
  std::optional<absl::flat_hash_set<JobId>> members_;  // nothing: all jobs
  std::vector<QueueId> leaves_;
  IdVector<QueueId, Leaf> by_queue_;
  Stamps<JobId> listed_, moved_;
};

// The contender among its own candidates.
inline constexpr std::string_view kItself = "itself";

// Whom a contender may evict.
struct Candidates {
  std::vector<QueueId> leaves;
  std::function<std::optional<VictimRefusal>(JobId)> spares;  // nothing: the job may be evicted
  int at_most = -1;                                           // jobs; negative: no limit
  struct SparedLeaf {
    QueueId leaf;
    VictimRefusal why;
  };
  std::vector<SparedLeaf> spared;  // leaves whose jobs all are
};

class VictimOrder {
 public:
  VictimOrder(Session& session, VictimPool& pool) : session_(session), pool_(pool) {}
  // From the beginning, with these; they must live on.
  void start(const Candidates& candidates);

  struct Popped {
    JobId job;
    absl::InlinedVector<TaskId, 8> tasks;  // what an eviction takes from it now
  };
  // The next job and what would be taken; nothing at the end. The caller then either takes that, and what is
  // left of the job comes again, or skips it, and the job comes again without its tasks in `gone`.
  std::optional<Popped> pop();
  // False: nothing of the job is left.
  bool take(const Popped& popped);
  bool skip(const Popped& popped, const Stamps<TaskId>& gone);

 private:
  // How many tasks were taken per pod set; of few pod sets without an allocation.
  class Taken {
   public:
    bool empty() const { return size_ == 0; }
    void start(std::size_t pod_sets) {
      size_ = pod_sets;
      if (size_ > few_.size()) many_.assign(size_, 0);
    }
    std::int32_t& operator[](std::size_t pod_set) {
      return size_ > few_.size() ? many_[pod_set] : few_[pod_set];
    }
    operator std::span<const std::int32_t>() const {
      return size_ > few_.size() ? std::span<const std::int32_t>(many_) : std::span(few_).first(size_);
    }

   private:
    std::size_t size_ = 0;
    std::array<std::int32_t, 4> few_{};
    std::vector<std::int32_t> many_;
  };
  struct Entry {
    JobEntry job;
    Taken taken;
    Charge held;
    bool begun = false;  // popped before
  };
  struct QueueNode {
    QueueId queue;
    QueueNode* parent = nullptr;
    bool is_leaf = false, dirty = false;
    const std::vector<JobEntry>* base = nullptr;  // of a leaf: jobs not yet begun
    std::size_t at = 0;
    std::vector<Entry> begun;  // heap of jobs that were taken apart
    Entry head;                // the next job of the leaf
    bool has_head = false;
    Charge popped;  // held by all jobs popped so far
    std::vector<QueueNode*> children;
  };

  void pop_entry();
  void fill_head(QueueNode& leaf);
  void link(QueueNode* node);
  bool job_less(const JobEntry& a, const JobEntry& b) const { return !pool_.before(a, b); }
  bool queue_less(const QueueNode& a, const QueueNode& b) const;
  void mark_dirty(QueueNode* node);
  bool push_back(Entry entry);
  QueueNode* node_of(QueueId queue, bool& is_new);
  void collect_victims(const Entry& entry, absl::InlinedVector<TaskId, 8>& tasks);
  bool collect_surplus(const Entry& entry, const Member& m, absl::InlinedVector<TaskId, 8>& tasks);
  void collect_active(const Entry& entry, const Member& m, absl::InlinedVector<TaskId, 8>& tasks);
  bool is_active(TaskId t) const;

  Session& session_;
  VictimPool& pool_;
  const Candidates* candidates_ = nullptr;
  int left_ = -1;
  std::vector<std::unique_ptr<QueueNode>> nodes_;  // the first `used_` are in use
  std::size_t used_ = 0;
  absl::flat_hash_map<QueueId, QueueNode*> by_queue_;
  std::vector<QueueNode*> root_;
  Stamps<TaskId> gone_;
  Entry popped_;
};

}  // namespace muster
