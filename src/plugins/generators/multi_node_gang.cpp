// Scenarios that empty the fewest nodes that together make room for all tasks, then more. actions.md 9.5.
#include <algorithm>

#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/batches_by.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

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

}  // namespace

std::unique_ptr<Plugin> make_multi_node_gang() {
  return plugin_of([](Session&, Hooks& hooks) { add_generator<MultiNodeGang>(hooks, kMultiNodeGang); });
}

}  // namespace muster::plugins
