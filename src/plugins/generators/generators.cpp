// The scenario generators.
#include "plugins/generators/generators.hpp"

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <absl/hash/hash.h>

#include <algorithm>

#include "engine/search/scenario_generator.hpp"

namespace muster::plugins {
namespace {

// Numbers of batches by node or job. Emptied in the time it took to fill it, and its memory is kept.
template <class I>
class BatchesBy {
 public:
  void clear() {
    for (I id : order_) lists_[id.index()].clear();
    order_.clear();
  }
  // False if the batch was there already; batches come in growing order.
  bool add(I id, std::uint32_t batch) {
    if (id.index() >= lists_.size()) lists_.resize(id.index() + 1);
    auto& list = lists_[id.index()];
    if (!list.empty() && list.back() == batch) return false;
    if (list.empty()) order_.push_back(id);
    list.push_back(batch);
    return true;
  }
  std::span<const std::uint32_t> of(I id) const {
    return id.index() < lists_.size() ? std::span<const std::uint32_t>(lists_[id.index()])
                                      : std::span<const std::uint32_t>();
  }
  // By first appearance.
  const std::vector<I>& all() const { return order_; }

 private:
  std::vector<absl::InlinedVector<std::uint32_t, 4>> lists_;
  std::vector<I> order_;
};

// Empties one node after the other: everything taken so far from the jobs that have a victim on it.
class NodeLocalGreedy final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_node_.clear();
    by_job_.clear();
    read_ = 0;
    nodes_.clear();
    seen_.clear();
  }

  bool next(Batches& potential) override {
    potential.clear();
    while (true) {
      while (!nodes_.empty()) {
        const NodeId node = nodes_.back();
        nodes_.pop_back();
        if (propose(node, potential)) return true;
      }
      if (!victims_->next()) return false;
      read();
      if (!victims_->batches().empty())
        list_nodes();
      else if (!victims_->probe().recorded->empty())
        return true;
    }
  }

 private:
  void read() {
    const Cluster& c = victims_->session().cluster;
    for (; read_ < victims_->batches().size(); ++read_) {
      const auto batch = victims_->batches()[read_];
      by_job_.add(batch.job, read_);
      for (TaskId t : batch.tasks) by_node_.add(c.placement(t).node, read_);
    }
  }

  // The nodes of the newest victim's job; the first by name is at the back.
  void list_nodes() {
    const Cluster& c = victims_->session().cluster;
    const JobId newest = victims_->batches()[victims_->batches().size() - 1].job;
    for (const PodSet& p : c.job(newest).pod_sets)
      for (TaskId t : p.tasks)
        if (const Placement& at = c.placement(t); at.node.valid() && in(at.status, kActiveUsed))
          nodes_.push_back(at.node);
    std::sort(nodes_.begin(), nodes_.end(),
              [&](NodeId a, NodeId b) { return c.node(b).name < c.node(a).name; });
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    seen_.clear();
  }

  bool propose(NodeId node, Batches& potential) {
    potential.clear();
    jobs_.clear();
    for (std::uint32_t batch : by_node_.of(node)) {
      const JobId job = victims_->batches()[batch].job;
      if (jobs_.insert(job)) add_all_taken(job, potential);
    }
    if (potential.empty()) return false;
    if (nodes_.empty() && seen_.empty()) return true;  // the only one of this step
    key_.assign(potential.tasks().begin(), potential.tasks().end());
    std::sort(key_.begin(), key_.end());
    return seen_.insert(absl::HashOf(key_)).second;
  }

  // Everything taken from the job so far, recorded tasks included, as one batch.
  void add_all_taken(JobId job, Batches& potential) {
    potential.begin_batch(job);
    tasks_.clear();
    const Batches& recorded = *victims_->probe().recorded;
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (recorded[i].job == job) add_once(recorded[i].tasks, potential);
    for (std::uint32_t i : by_job_.of(job)) add_once(victims_->batches()[i].tasks, potential);
  }
  void add_once(std::span<const TaskId> tasks, Batches& potential) {
    for (TaskId t : tasks)
      if (tasks_.insert(t)) potential.add(t);
  }

  VictimAccumulator* victims_ = nullptr;
  BatchesBy<NodeId> by_node_;
  BatchesBy<JobId> by_job_;
  std::uint32_t read_ = 0;
  std::vector<NodeId> nodes_;              // still to be proposed in this step
  absl::flat_hash_set<std::size_t> seen_;  // hashes of what was proposed in this step
  std::vector<TaskId> key_;
  Stamps<JobId> jobs_;
  Stamps<TaskId> tasks_;
};

// Empties the fewest nodes that together make room for all tasks, then more.
class MultiNodeGang final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_node_.clear();
    read_ = 0;
    nodes_.clear();
    size_ = kNone;
    usable_ = *victims.probe().feasible;
    const Cluster& c = victims.session().cluster;
    for (TaskId t : victims.probe().recorded->tasks())
      if (const NodeId n = c.placement(t).node; c.node(n).present) usable_.set(c.rank(n));
    without_victims_ = 0;
    usable_.for_each([&](std::size_t rank) { without_victims_ += recorded_room(c.nodes_by_name()[rank]); });
  }

  bool next(Batches& potential) override {
    potential.clear();
    while (size_ == kNone) {
      if (!victims_->next()) return false;
      read();
      if (victims_->batches().empty()) return true;
      begin_step();
    }
    propose(potential);
    if (size_ >= nodes_.size()) {
      size_ = kNone;
    } else {
      size_ = std::min(size_ + growth_, nodes_.size());
      growth_ *= 2;
    }
    return true;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::int64_t recorded_room(NodeId n) const { return victims_->recorded_room().room(n); }

  void read() {
    const Cluster& c = victims_->session().cluster;
    for (; read_ < victims_->batches().size(); ++read_)
      for (TaskId t : victims_->batches()[read_].tasks) {
        const NodeId n = c.placement(t).node;
        const bool is_new = by_node_.of(n).empty();
        by_node_.add(n, read_);
        if (is_new && c.node(n).present && usable_.test(c.rank(n))) without_victims_ -= recorded_room(n);
      }
  }

  // Nodes with room for the smallest task, the tightest first, and how many of them cover the demand.
  void begin_step() {
    const RoomTest& room = victims_->room();
    nodes_.clear();
    for (NodeId n : by_node_.all())
      if (victims_->session().cluster.node(n).present && room.room(n) >= room.smallest_demand())
        nodes_.push_back(n);
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [&](NodeId a, NodeId b) { return room.room(a) < room.room(b); });
    const std::int64_t remaining = std::max<std::int64_t>(0, room.demand() - without_victims_);
    std::int64_t covered = 0;
    size_ = 0;
    while (covered < remaining && size_ < nodes_.size()) covered += room.room(nodes_[size_++]);
    if (covered < remaining) size_ = kNone;
    growth_ = 1;
  }

  void propose(Batches& potential) {
    picked_.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      const auto batches = by_node_.of(nodes_[i]);
      picked_.insert(picked_.end(), batches.begin(), batches.end());
    }
    std::sort(picked_.begin(), picked_.end());
    picked_.erase(std::unique(picked_.begin(), picked_.end()), picked_.end());
    for (std::uint32_t i : picked_)
      potential.append(victims_->batches()[i].job, victims_->batches()[i].tasks);
  }

  VictimAccumulator* victims_ = nullptr;
  BatchesBy<NodeId> by_node_;
  std::uint32_t read_ = 0;
  Bitmap usable_;
  std::int64_t without_victims_ = 0;  // room of usable nodes that hold no potential victim
  std::vector<NodeId> nodes_;
  std::vector<std::uint32_t> picked_;
  std::size_t size_ = kNone, growth_ = 1;
};

template <class Generator>
void add_generator(Hooks& hooks, const char* name) {
  hooks.generators.add([name](std::vector<GeneratorFactory>& all) {
    all.push_back({name, [] { return std::make_unique<Generator>(); }});
  });
}

}  // namespace

std::unique_ptr<Plugin> make_node_local_greedy() {
  return plugin_of([](Session&, Hooks& hooks) { add_generator<NodeLocalGreedy>(hooks, "NodeLocalGreedy"); });
}

std::unique_ptr<Plugin> make_multi_node_gang() {
  return plugin_of([](Session&, Hooks& hooks) { add_generator<MultiNodeGang>(hooks, "MultiNodeGang"); });
}

}  // namespace muster::plugins
