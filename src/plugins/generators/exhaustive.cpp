// Scenarios for small searches: every combination of victims, the smallest first.
#include <algorithm>
#include <numeric>

#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

// Every combination of victims, the smallest first: of each job nothing, or the first few batches that victim
// order takes from it. Says nothing where there are too many.
class Exhaustive final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_job_.clear();
    combinations_.clear();
    next_ = 0;
    if (collect(victims.session().settings.search.exhaustive_combinations)) list();
  }

  bool next(Batches& potential) override {
    potential.clear();
    if (next_ == combinations_.size()) return false;
    const Combination& c = combinations_[next_++];
    std::vector<std::uint32_t> picked;
    for (std::size_t j = 0; j < c.size(); ++j)
      picked.insert(picked.end(), by_job_[j].begin(), by_job_[j].begin() + c[j]);
    std::sort(picked.begin(), picked.end());
    for (std::uint32_t i : picked) potential.append(victims_->batches()[i].job, victims_->batches()[i].tasks);
    return true;
  }

 private:
  using Combination = std::vector<std::uint8_t>;  // batches per job

  // All that could be taken, by job; false if that is too much.
  bool collect(std::size_t most) {
    std::vector<JobId> jobs;
    for (std::size_t count = 1; victims_->grow();) {
      const Batches& all = victims_->batches();
      const auto newest = static_cast<std::uint32_t>(all.size() - 1);
      const auto at = std::find(jobs.begin(), jobs.end(), all[newest].job);
      const auto job = static_cast<std::size_t>(at - jobs.begin());
      if (at == jobs.end()) jobs.push_back(all[newest].job), by_job_.emplace_back();
      by_job_[job].push_back(newest);
      count = count / by_job_[job].size() * (by_job_[job].size() + 1);
      if (count > most) return false;
    }
    return true;
  }

  void list() {
    Combination at(by_job_.size(), 0);
    while (true) {
      std::size_t j = 0;
      while (j < at.size() && at[j] == by_job_[j].size()) at[j++] = 0;
      if (j == at.size()) break;
      ++at[j];
      combinations_.push_back(at);
    }
    const auto size = [](const Combination& c) { return std::accumulate(c.begin(), c.end(), 0); };
    // Of equal size, the one with those that victim order takes first.
    std::stable_sort(combinations_.begin(), combinations_.end(),
                     [&](const Combination& a, const Combination& b) {
                       return size(a) != size(b) ? size(a) < size(b) : a > b;
                     });
  }

  VictimAccumulator* victims_ = nullptr;
  std::vector<std::vector<std::uint32_t>> by_job_;
  std::vector<Combination> combinations_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<Plugin> make_exhaustive() {
  return plugin_of([](Session&, Hooks& hooks) {
    hooks.generators.add([](std::vector<GeneratorFactory>& all) {
      all.push_back({kExhaustiveGenerator, [] { return std::make_unique<Exhaustive>(); }, true});
    });
  });
}

}  // namespace muster::plugins
