// The victims of one probe, most over-served queue first. Jobs are taken apart: surplus tasks one by one,
// then the rest of the gang. actions.md 3.4, 6; fairshare.md 7.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/order/queue_heaps.hpp"
#include "engine/order/victim_pool.hpp"

namespace muster {

// The rule for a preemptor that is among its own candidates.
inline constexpr std::string_view kItself = "itself";

// Whether fair shares limit which victims may be taken: they do in reclaim, but not in preempt and
// consolidation.
enum class Bounded : std::uint8_t { kByShares, kNot };

// The jobs that a preemptor may evict.
struct Candidates {
  std::vector<QueueId> leaves;
  std::function<std::optional<VictimRefusal>(JobId)> eviction_refusal;  // nullopt: the job may be evicted
  int at_most = -1;               // maximum number of jobs; negative: no limit
  bool get_other_places = false;  // every victim is placed elsewhere and loses only time
  Bounded bounded = Bounded::kNot;
  struct SparedLeaf {
    QueueId leaf;
    VictimRefusal why;
  };
  std::vector<SparedLeaf> spared;  // leaves where no job may be evicted
  // If there is only one leaf: preemptors with the same key and without placed tasks have the same
  // candidates. Nullopt: each preemptor may have others.
  std::optional<std::int64_t> reuse_key = {};
};

// Number of tasks taken per pod set; needs no allocation if there are few pod sets.
class TakenCounts {
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

// A job that was, or will be, taken apart.
struct VictimEntry {
  JobEntry job;
  TakenCounts taken;
  Charge held;
  bool is_begun = false;  // popped before
};

struct VictimLeaf {
  std::span<const JobEntry> untouched;
  std::size_t at = 0;
  std::vector<VictimEntry> begun;  // heap of jobs that were taken apart
  VictimEntry head;                // the next job
  bool has_head = false;
  Charge popped;  // held by all jobs popped so far
  bool empty() const { return !has_head; }
  void clear();
};

class VictimOrder : private QueueHeaps<VictimOrder, VictimLeaf, ComesUp::kServedLast> {
  using Heaps = QueueHeaps<VictimOrder, VictimLeaf, ComesUp::kServedLast>;
  friend Heaps;

 public:
  VictimOrder(Session& session, VictimPool& pool) : Heaps(session), pool_(pool) {}
  // Starts over with these candidates, which must outlive their use here.
  void start(const Candidates& candidates);

  using Tasks = absl::InlinedVector<TaskId, 8>;
  struct Popped {
    JobId job;
    Tasks tasks;  // what one eviction takes from it now
  };
  // Pops the next job and the tasks that would be taken from it; nullopt at the end. The caller then takes
  // the tasks, and the order returns the rest of the job later. Or it skips the job, and the order returns
  // the job later without its tasks in `gone`.
  std::optional<Popped> pop();
  // Returns false if nothing of the job is left.
  bool take(const Popped& popped);
  bool skip(const Popped& popped, const Stamps<TaskId>& gone);

  // All steps in which the job could be taken. Must not be called between pop() and the following take() or
  // skip().
  std::vector<Tasks> take_apart(JobId job);

 private:
  QueueSide side(QueueId queue, const VictimLeaf& best) const;
  bool job_less(const JobEntry& a, const JobEntry& b) const { return !pool_.before(a, b); }
  auto by_victim_order() const {
    return [this](const VictimEntry& a, const VictimEntry& b) { return job_less(a.job, b.job); };
  }
  void fill_head(VictimLeaf& leaf) const;
  void pop_entry();
  void lose(TaskId task);
  bool push_back();
  bool is_active(TaskId t) const;
  void collect_victims(Tasks& tasks) const;
  bool collect_surplus(const Member& m, Tasks& tasks) const;
  void collect_active(const Member& m, Tasks& tasks) const;

  VictimPool& pool_;
  const Candidates* candidates_ = nullptr;
  int left_ = -1;  // number of jobs that may still be started; negative: any
  int begun_ = 0;  // number of started jobs that will come again
  Stamps<TaskId> gone_;
  VictimEntry popped_;
};

}  // namespace muster
