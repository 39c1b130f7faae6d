// Scores preferred pod affinity: the terms of the pending pod, and those of the pods already placed.
#include "plugins/pod_affinity.hpp"

#include "engine/cycle/session.hpp"
#include "engine/place/affinity_index.hpp"

namespace muster::plugins {
namespace {

constexpr double kPerWeight = 1'000'000;

class PodAffinity final : public Plugin {
 public:
  void open(Session& session, Hooks& hooks) override {
    if (!session.cluster.shapes().has_preferred_affinity()) return;
    cluster_ = &session.cluster;
    hooks.moved.add([this](TaskId t, const Placement& from, const Placement& to) {
      if (index_) index_->moved(t, from, to);
    });
    hooks.node_score.add_global(
        [this](TaskId t) { return index().concerns(t); },
        [this](TaskId t, std::span<const NodeId> nodes, std::span<double> sums) { score(t, nodes, sums); });
  }

 private:
  void score(TaskId task, std::span<const NodeId> nodes, std::span<double> sums) {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      sums[i] += kPerWeight * static_cast<double>(index().own_terms(task, nodes[i]) +
                                                  index().terms_of_others(task, nodes[i]));
  }

  // Built from the current placements on first use, and kept up to date from then on.
  const AffinityIndex& index() { return index_ ? *index_ : index_.emplace(*cluster_, TermsOf::kPreferred); }

  const Cluster* cluster_ = nullptr;
  std::optional<AffinityIndex> index_;
};

}  // namespace

std::unique_ptr<Plugin> make_pod_affinity() { return std::make_unique<PodAffinity>(); }

}  // namespace muster::plugins
