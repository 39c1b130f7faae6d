// The scenario generators.
#include "plugins/generators.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <set>

#include "engine/scenario_generator.hpp"

namespace muster::plugins {
namespace {

// Which accumulated batches have a task on which node; read as they come.
class BatchesByNode {
 public:
  void start() {
    read_ = 0;
    on_.clear();
    order_.clear();
  }
  // Calls seen(node) for each node that appears for the first time.
  template <class Seen>
  void read(const VictimAccumulator& victims, Seen seen) {
    const Cluster& c = victims.session().cluster;
    for (; read_ < victims.batches().size(); ++read_)
      for (TaskId t : victims.batches()[read_].tasks) {
        const NodeId node = c.placement(t).node;
        auto& batches = on_[node];
        if (batches.empty()) order_.push_back(node), seen(node);
        if (batches.empty() || batches.back() != read_) batches.push_back(read_);
      }
  }
  const std::vector<std::size_t>& on(NodeId node) { return on_[node]; }
  // Nodes by first appearance.
  const std::vector<NodeId>& nodes() const { return order_; }

 private:
  std::size_t read_ = 0;
  absl::flat_hash_map<NodeId, std::vector<std::size_t>> on_;
  std::vector<NodeId> order_;
};

// Empties one node after the other: everything taken so far from the jobs that have a victim on it.
class NodeLocalGreedy final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_node_.start();
    of_job_.clear();
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
    by_node_.read(*victims_, [](NodeId) {});
    for (; read_ < victims_->batches().size(); ++read_) of_job_[victims_->batches()[read_].job].push_back(read_);
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
    for (std::size_t batch : by_node_.on(node)) {
      const JobId job = victims_->batches()[batch].job;
      if (jobs_.insert(job)) add_all_taken(job, potential);
    }
    if (potential.empty()) return false;
    std::vector<TaskId> key(potential.tasks().begin(), potential.tasks().end());
    std::sort(key.begin(), key.end());
    return nodes_.empty() && seen_.empty() ? true : seen_.insert(std::move(key)).second;
  }

  // Everything taken from the job so far, recorded tasks included, as one batch.
  void add_all_taken(JobId job, Batches& potential) {
    potential.begin_batch(job);
    tasks_.clear();
    const Batches& recorded = *victims_->probe().recorded;
    for (std::size_t i = 0; i < recorded.size(); ++i)
      if (recorded[i].job == job) add_once(recorded[i].tasks, potential);
    for (std::size_t i : of_job_[job]) add_once(victims_->batches()[i].tasks, potential);
  }
  void add_once(std::span<const TaskId> tasks, Batches& potential) {
    for (TaskId t : tasks)
      if (tasks_.insert(t)) potential.add(t);
  }

  VictimAccumulator* victims_ = nullptr;
  BatchesByNode by_node_;
  absl::flat_hash_map<JobId, std::vector<std::size_t>> of_job_;
  std::size_t read_ = 0;
  std::vector<NodeId> nodes_;           // still to be proposed in this step
  std::set<std::vector<TaskId>> seen_;  // proposed in this step
  Stamps<JobId> jobs_;
  Stamps<TaskId> tasks_;
};

// Empties the fewest nodes that together make room for all tasks, then more.
class MultiNodeGang final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_node_.start();
    nodes_.clear();
    size_ = kNone;
    const Cluster& c = victims.session().cluster;
    usable_ = Bitmap(c.nodes_by_name().size());
    usable_ |= *victims.probe().feasible;
    for (TaskId t : victims.probe().recorded->tasks())
      if (const NodeId n = c.placement(t).node; c.node(n).present) usable_.set(c.rank(n));
    without_victims_ = 0;
    usable_.for_each([&](std::size_t rank) { without_victims_ += victims.room().room(c.nodes_by_name()[rank]); });
    recorded_room_.clear();
    usable_.for_each([&](std::size_t rank) {
      const NodeId n = c.nodes_by_name()[rank];
      recorded_room_[n] = victims.room().room(n);
    });
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

  void read() {
    by_node_.read(*victims_, [&](NodeId n) {
      if (const auto found = recorded_room_.find(n); found != recorded_room_.end()) without_victims_ -= found->second;
    });
  }

  // Nodes with room for the smallest task, the tightest first, and how many of them cover the demand.
  void begin_step() {
    const RoomTest& room = victims_->room();
    nodes_.clear();
    for (NodeId n : by_node_.nodes())
      if (victims_->session().cluster.node(n).present && room.room(n) >= room.smallest_demand()) nodes_.push_back(n);
    std::stable_sort(nodes_.begin(), nodes_.end(), [&](NodeId a, NodeId b) { return room.room(a) < room.room(b); });
    const std::int64_t remaining = std::max<std::int64_t>(0, room.demand() - without_victims_);
    std::int64_t covered = 0;
    size_ = 0;
    while (covered < remaining && size_ < nodes_.size()) covered += room.room(nodes_[size_++]);
    if (covered < remaining) size_ = kNone;
    growth_ = 1;
  }

  void propose(Batches& potential) {
    std::vector<std::size_t> picked;
    for (std::size_t i = 0; i < size_; ++i)
      picked.insert(picked.end(), by_node_.on(nodes_[i]).begin(), by_node_.on(nodes_[i]).end());
    std::sort(picked.begin(), picked.end());
    picked.erase(std::unique(picked.begin(), picked.end()), picked.end());
    for (std::size_t i : picked) potential.append(victims_->batches()[i].job, victims_->batches()[i].tasks);
  }

  VictimAccumulator* victims_ = nullptr;
  BatchesByNode by_node_;
  Bitmap usable_;
  std::int64_t without_victims_ = 0;  // room of usable nodes that hold no potential victim
  absl::flat_hash_map<NodeId, std::int64_t> recorded_room_;
  std::vector<NodeId> nodes_;
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
