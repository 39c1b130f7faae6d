// Proposes scenarios that empty the fewest nodes with room for all tasks together, then more. actions.md 9.5.
#include <algorithm>
#include <limits>
#include <span>

#include "engine/order/gang_view.hpp"
#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/batches_by.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

// The most GPUs that a scenario of reclaim may take. A larger one rarely works: it evicts dozens of
// jobs, and all but one or two of them must be placed elsewhere and start again.
std::int64_t most_gpus(const VictimAccumulator& victims) {
  constexpr std::int64_t kTimesRequested = 2, kBeyond = 16 * kOneGpu;
  const std::int64_t requested = victims.room().demand();
  const bool is_bounded = victims.session().settings.compatibility.narrow_scenarios && requested > 0 &&
                          victims.candidates().bounded == Bounded::kByShares;
  return is_bounded ? kTimesRequested * requested + kBeyond : std::numeric_limits<std::int64_t>::max();
}

class MultiNodeGang final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_node_.clear();
    by_job_.clear();
    gpus_.clear();
    proposed_in_.clear();
    proposals_ = 0;
    nodes_.clear();
    size_ = kNone;
    most_ = most_gpus(victims);
    usable_ = *victims.probe().feasible;
    const Cluster& c = victims.session().cluster;
    recorded_gpus_ = 0;
    for (TaskId t : victims.probe().recorded->tasks()) {
      if (const NodeId n = c.placement(t).node; c.node(n).present) usable_.set(c.rank(n));
      recorded_gpus_ += freed_gpus(c, t);
    }
    without_victims_ = 0;
    usable_.for_each([&](std::size_t rank) { without_victims_ += recorded_room(c.nodes_by_name()[rank]); });
  }

  bool next(Batches& potential) override {
    while (true) {
      potential.clear();
      if (size_ != kNone) {
        const bool is_narrow = propose(potential);
        grow(is_narrow);
        if (is_narrow) return true;
        continue;
      }
      if (!victims_->next()) return false;
      read();
      if (victims_->batches().empty()) return true;
      begin_step();
    }
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // A node that some victim leaves, with room for the smallest task.
  struct Emptied {
    std::int64_t room;
    std::uint32_t seen_as;  // position in order of first appearance
    NodeId node;
    bool operator<(const Emptied& other) const {
      return room != other.room ? room < other.room : seen_as < other.seen_as;
    }
  };

  std::int64_t recorded_room(NodeId n) const { return victims_->recorded_room().room(n); }

  void read() {
    const Cluster& c = victims_->session().cluster;
    changed_.clear();
    is_changed_.clear();
    for (std::size_t i = gpus_.size(); i < victims_->batches().size(); ++i) {
      gpus_.push_back(0);
      proposed_in_.push_back(0);
      by_job_.add(victims_->batches()[i].job, static_cast<std::uint32_t>(i));
      for (TaskId t : victims_->batches()[i].tasks) {
        const NodeId n = c.placement(t).node;
        gpus_.back() += freed_gpus(c, t);
        const bool is_new = by_node_.of(n).empty();
        by_node_.add(n, static_cast<std::uint32_t>(i));
        if (is_new) see(n);
        if (is_changed_.insert(n)) changed_.push_back(n);
      }
    }
    for (NodeId n : changed_) sort_in(n);
  }

  void see(NodeId n) {
    const Cluster& c = victims_->session().cluster;
    seen_.resize(c.nodes().size());
    seen_[n] = {.room = kNotCounted, .seen_as = static_cast<std::uint32_t>(by_node_.all().size()), .node = n};
    if (c.node(n).present && usable_.test(c.rank(n))) without_victims_ -= recorded_room(n);
  }

  // The tightest first, then by first appearance.
  void sort_in(NodeId n) {
    const RoomTest& room = victims_->room();
    Emptied& it = seen_[n];
    if (it.room != kNotCounted) nodes_.erase(std::lower_bound(nodes_.begin(), nodes_.end(), it));
    const bool has_room =
        victims_->session().cluster.node(n).present && room.room(n) >= room.smallest_demand();
    it.room = has_room ? room.room(n) : kNotCounted;
    if (has_room) nodes_.insert(std::lower_bound(nodes_.begin(), nodes_.end(), it), it);
  }

  // Counts how many of the nodes cover the demand.
  void begin_step() {
    const std::int64_t remaining = std::max<std::int64_t>(0, victims_->room().demand() - without_victims_);
    std::int64_t covered = 0;
    size_ = 0;
    while (covered < remaining && size_ < nodes_.size()) covered += nodes_[size_++].room;
    if (covered < remaining) size_ = kNone;
    growth_ = 1;
  }

  // A scenario that takes too much does not take less with more nodes.
  void grow(bool is_narrow) {
    if (!is_narrow || size_ >= nodes_.size()) {
      size_ = kNone;
    } else {
      size_ = std::min(size_ + growth_, nodes_.size());
      growth_ *= 2;
    }
  }

  // Returns false if too much would be taken.
  bool propose(Batches& potential) {
    ++proposals_;
    picked_.clear();
    picked_gpus_ = recorded_gpus_;
    for (std::size_t i = 0; i < size_; ++i)
      if (!pick(by_node_.of(nodes_[i].node))) return false;
    if (!pick_rest_of_gangs()) return false;
    std::sort(picked_.begin(), picked_.end());
    for (std::uint32_t i : picked_)
      potential.append(victims_->batches()[i].job, victims_->batches()[i].tasks);
    return true;
  }

  // Picks the batches that were not picked yet. Returns false if too much would be taken.
  bool pick(std::span<const std::uint32_t> batches) {
    for (std::uint32_t batch : batches) {
      if (is_picked(batch)) continue;
      proposed_in_[batch] = proposals_;
      picked_.push_back(batch);
      picked_gpus_ += gpus_[batch];
      if (picked_gpus_ > most_) return false;
    }
    return true;
  }
  bool is_picked(std::uint32_t batch) const { return proposed_in_[batch] == proposals_; }

  // A gang that falls below its minimum is evicted as a whole: its other pods would hold GPUs without doing
  // work.
  bool pick_rest_of_gangs() {
    if (!victims_->session().settings.compatibility.move_only_whole_gangs) return true;
    asked_.clear();
    for (std::size_t i = 0; i < picked_.size(); ++i) {
      const JobId job = victims_->batches()[picked_[i]].job;
      if (!asked_.insert(job)) continue;
      const auto batches = by_job_.of(job);
      const bool has_rest = std::ranges::any_of(batches, [&](std::uint32_t b) { return !is_picked(b); });
      if (has_rest && is_left_in_part(job) && !pick(batches)) return false;
    }
    return true;
  }

  bool is_left_in_part(JobId id) {
    const Session& session = victims_->session();
    const Job& job = session.cluster.job(id);
    if (!is_satisfied(job, kRoot)) return false;
    taken_.assign(job.pod_sets.size(), 0);
    const auto take = [&](std::span<const TaskId> tasks) {
      for (TaskId t : tasks) ++taken_[session.cluster.task(t).pod_set];
    };
    for (std::uint32_t batch : by_job_.of(id))
      if (is_picked(batch)) take(victims_->batches()[batch].tasks);
    const Batches& recorded = *victims_->probe().recorded;
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (recorded[i].job == id) take(recorded[i].tasks);
    const GangView view(session, job, taken_);
    return view.active() > 0 && !view.is_satisfied(kRoot);
  }

  static constexpr std::int64_t kNotCounted = -1;

  VictimAccumulator* victims_ = nullptr;
  BatchesBy<NodeId> by_node_;
  BatchesBy<JobId> by_job_;
  std::vector<std::int64_t> gpus_;          // by batch
  std::vector<std::uint32_t> proposed_in_;  // by batch: the last proposal that contained it
  std::uint32_t proposals_ = 0;
  Bitmap usable_;
  std::int64_t without_victims_ = 0;  // room of usable nodes without potential victims
  std::int64_t recorded_gpus_ = 0, picked_gpus_ = 0, most_ = 0;
  std::vector<Emptied> nodes_;      // sorted
  IdVector<NodeId, Emptied> seen_;  // with the values it has in nodes_
  std::vector<NodeId> changed_;
  Stamps<NodeId> is_changed_;
  std::vector<std::uint32_t> picked_;
  Stamps<JobId> asked_;
  std::vector<std::int32_t> taken_;  // by pod set of the current job
  std::size_t size_ = kNone, growth_ = 1;
};

}  // namespace

std::unique_ptr<Plugin> make_multi_node_gang() {
  return plugin_of([](Session&, Hooks& hooks) { add_generator<MultiNodeGang>(hooks, kMultiNodeGang); });
}

}  // namespace muster::plugins
