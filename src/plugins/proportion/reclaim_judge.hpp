// Decides whether a scenario of reclaim is fair. Uses the state of the queues at the beginning of the search.
// fairshare.md 9.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <array>
#include <string_view>
#include <vector>

#include "plugins/proportion/entitled_work.hpp"
#include "plugins/proportion/reclaim.hpp"

namespace muster::plugins {

class ReclaimJudge {
 public:
  ReclaimJudge(Session& session, const QueueShares& shares, const ReclaimRules& rules,
               double saturation_multiplier)
      : session_(session),
        cluster_(session.cluster),
        shares_(shares),
        rules_(rules),
        multiplier_(saturation_multiplier),
        entitled_(session, shares) {}

  // Records the state of the queues, because the evictions of a scenario are already subtracted when it is
  // judged.
  void begin_search(JobId preemptor);
  bool is_valid(const Scenario& scenario);
  // Whether every leaf queue keeps as much work as it is entitled to. Ask is_entitled() about each victim
  // first.
  bool keeps_entitled(const Scenario& scenario);
  // Whether the victim's queue is entitled to the job, so that nothing of it may be reclaimed. Call while
  // nothing is evicted tentatively.
  bool is_entitled(JobId preemptor, JobId victim);
  // The strategy that lets the preemptor take from the leaf, based on the recorded state.
  std::string_view ground(JobId preemptor, QueueId leaf) const;

 private:
  // A part of a victim job that is judged as one: a surplus task, or all core tasks together.
  struct Portion {
    QueueId leaf;
    Charge amount;
    std::uint32_t leaf_position = 0, position = 0;  // positions of the leaf's first portion and of this one
  };
  struct Loss {
    Charge remaining;
    std::array<bool, 3> involved{};
    bool any = false;
  };
  void collect_portions(const Scenario& scenario);
  void add_portion(QueueId leaf, std::span<const TaskId> tasks);
  void sort_portions();
  void take_off(const Portion& portion, const std::array<bool, 3>& resources);
  template <class Held>
  bool is_by_quota(JobId preemptor, QueueId leaf, const Held& held) const;
  bool strategies_allow(QueueId preemptor, const Demand& requested);
  bool stays_within_bounds(const Scenario& scenario, const Demand& requested) const;
  bool is_saturated(QueueId q, QueueId sibling, const Demand& requested) const;
  Loss& loss_of(QueueId q);
  const Charge& remaining(QueueId q) const {
    return losses_[q].any ? losses_[q].remaining : before_[q].allocated;
  }

  Session& session_;
  const Cluster& cluster_;
  const QueueShares& shares_;
  const ReclaimRules& rules_;
  const double multiplier_;
  EntitledWork entitled_;
  IdVector<QueueId, QueueUse> before_;
  std::vector<Portion> portions_;
  absl::flat_hash_map<QueueId, std::uint32_t> leaf_positions_;
  IdVector<QueueId, Loss> losses_;
  std::vector<QueueId> losers_;
  absl::flat_hash_set<TaskId> core_tasks_;  // of the preemptor, which would count as non-preemptible
  Demand core_;                             // of those in the current scenario
  bool has_core_ = false;
  std::vector<TaskId> core_part_;  // buffers
  std::vector<std::int32_t> taken_;
};

}  // namespace muster::plugins
