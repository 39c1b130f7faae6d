// Registers shares, order, capacity and the rules of reclaim, each a class of its own.
#include "plugins/proportion/proportion.hpp"

#include <optional>

#include "engine/cycle/session.hpp"
#include "plugins/proportion/capacity.hpp"
#include "plugins/proportion/order.hpp"
#include "plugins/proportion/reclaim.hpp"
#include "plugins/proportion/reclaim_judge.hpp"
#include "plugins/proportion/shares.hpp"

namespace muster::plugins {
namespace {

constexpr const char* kProportionName = "proportion";

std::optional<VictimRefusal> refused_unless(bool allowed, const char* rule) {
  return allowed ? std::nullopt : std::optional(VictimRefusal{.rule = rule});
}

class Proportion final : public Plugin {
 public:
  explicit Proportion(ProportionOptions options) : options_(options) {}

  void open(Session& s, Hooks& hooks) override {
    shares_.emplace(s, options_.k_value);
    order_.emplace(s, *shares_);
    hooks.queue_order.add([this](const QueueSide& l, const QueueSide& r) { return order_->compare(l, r); });
    hooks.fair_share.set(kProportionName, [this](QueueId q) { return shares_->fair(q); });
    hooks.requested.set(kProportionName, [this](QueueId q) { return shares_->requested(q); });
    add_capacity(s, hooks);
    add_reclaim(s, hooks);
  }

 private:
  void add_capacity(Session& s, Hooks& hooks) {
    capacity_.emplace(s);
    hooks.job_over_capacity.set(kProportionName, [this, &s](JobId job, std::span<const TaskId> tasks) {
      return capacity_->over(job, s.demand(tasks, s.cluster.largest_gpu()),
                             s.demand(s.core_part(job, tasks), s.cluster.largest_gpu()));
    });
    hooks.job_over_quota.set(kProportionName, [this, &s](JobId job, std::span<const TaskId> tasks) {
      return capacity_->over_quota(job, s.demand(s.core_part(job, tasks), s.cluster.largest_gpu()));
    });
    hooks.task_over_capacity.set(kProportionName, [this, &s](TaskId task, NodeId node) {
      const JobId job = s.cluster.task(task).job;
      const Demand requested{.charge = s.cluster.accepted(s.cluster.shape_of(task), node)};
      const bool is_core = !s.core_part(job, {&task, 1}).empty();
      return capacity_->over(job, requested, is_core ? requested : Demand{});
    });
  }

  void add_reclaim(Session& s, Hooks& hooks) {
    reclaim_.emplace(s, *shares_);
    judge_.emplace(s, *shares_, *reclaim_, options_.saturation_multiplier);
    hooks.may_reclaim.set(kProportionName, [this](JobId job) { return reclaim_->may_reclaim(job); });
    hooks.reclaim_from_queue.add([this](JobId preemptor, QueueId leaf) {
      return refused_unless(reclaim_->may_take_from(preemptor, leaf),
                            "its queue is within its fair share or quota");
    });
    hooks.reclaim_entitled.add([this](JobId preemptor, JobId victim) {
      return refused_unless(!judge_->is_entitled(preemptor, victim), "within its queue's fair share");
    });
    hooks.search_begins.add([this](JobId preemptor) { judge_->begin_search(preemptor); });
    hooks.reclaim_scenario.add([this](const Scenario& scenario) {
      return refused_unless(judge_->is_valid(scenario), "the fair shares of the queues do not allow it");
    });
    hooks.entitled_scenario.add([this](const Scenario& scenario) {
      return refused_unless(judge_->keeps_entitled(scenario), "a queue would lose a part of its fair share");
    });
    hooks.reclaim_shortage.add([this](const Shortage& shortage) { return reclaim_->too_much(shortage); });
    hooks.reclaim_ground.set(
        kProportionName, [this](JobId preemptor, QueueId leaf) { return judge_->ground(preemptor, leaf); });
  }

  const ProportionOptions options_;
  std::optional<QueueShares> shares_;
  std::optional<QueueOrder> order_;
  std::optional<Capacity> capacity_;
  std::optional<ReclaimRules> reclaim_;
  std::optional<ReclaimJudge> judge_;
};

}  // namespace

std::unique_ptr<Plugin> make_proportion(ProportionOptions o) { return std::make_unique<Proportion>(o); }

}  // namespace muster::plugins
