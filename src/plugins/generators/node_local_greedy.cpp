// Proposes scenarios that empty one node. A scenario contains all victims taken so far from the jobs that
// have a victim on the node. actions.md 9.5.
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include <algorithm>

#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/batches_by.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

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

  // Lists the nodes of the newest victim's job; the first by name is at the back.
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
    if (nodes_.empty() && seen_.empty()) return true;  // the only proposal of this step
    key_.assign(potential.tasks().begin(), potential.tasks().end());
    std::sort(key_.begin(), key_.end());
    return seen_.insert(absl::HashOf(key_)).second;
  }

  // Adds everything taken from the job so far, recorded tasks included, as one batch.
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
  absl::flat_hash_set<std::size_t> seen_;  // hashes of the proposals of this step
  std::vector<TaskId> key_;
  Stamps<JobId> jobs_;
  Stamps<TaskId> tasks_;
};

}  // namespace

std::unique_ptr<Plugin> make_node_local_greedy() {
  return plugin_of([](Session&, Hooks& hooks) { add_generator<NodeLocalGreedy>(hooks, kNodeLocalGreedy); });
}

}  // namespace muster::plugins
