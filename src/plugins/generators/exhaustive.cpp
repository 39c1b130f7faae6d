// Proposes every combination of victims for small searches, the smallest first.
#include <algorithm>

#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

// Proposes every combination of victims, the smallest first. From each job it takes nothing or the first few
// batches, as victim order would. Proposes nothing where there are too many combinations.
class Exhaustive final : public ScenarioGenerator {
 public:
  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    by_job_.clear();
    if (!collect(victims.session().settings.search.exhaustive_combinations)) by_job_.clear();
    taken_.assign(by_job_.size(), 0);
  }

  bool next(Batches& potential) override {
    potential.clear();
    if (!advance()) return false;
    picked_.clear();
    for (std::size_t j = 0; j < taken_.size(); ++j)
      picked_.insert(picked_.end(), by_job_[j].begin(),
                     by_job_[j].begin() + static_cast<std::ptrdiff_t>(taken_[j]));
    std::sort(picked_.begin(), picked_.end());
    for (std::uint32_t i : picked_)
      potential.append(victims_->batches()[i].job, victims_->batches()[i].tasks);
    return true;
  }

 private:
  // Collects all batches that could be taken, by job. Returns false if there are too many.
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

  // Moves on to the next combination; of those of equal size, the one whose victims come first in victim
  // order is first. The last job that can pass a batch on to the jobs after it does so.
  bool advance() {
    std::size_t taken = 0, most = 0;  // by the jobs after the current one
    for (std::size_t j = taken_.size(); j-- > 0; taken += taken_[j], most += by_job_[j].size())
      if (taken_[j] > 0 && taken < most) {
        --taken_[j];
        take_first(j + 1, taken + 1);
        return true;
      }
    if (taken == most) return false;
    take_first(0, taken + 1);
    return true;
  }
  void take_first(std::size_t from, std::size_t batches) {
    for (std::size_t j = from; j < taken_.size(); ++j) {
      taken_[j] = std::min(batches, by_job_[j].size());
      batches -= taken_[j];
    }
  }

  VictimAccumulator* victims_ = nullptr;
  std::vector<std::vector<std::uint32_t>> by_job_;
  std::vector<std::size_t> taken_;     // batches per job of the current combination
  std::vector<std::uint32_t> picked_;  // their numbers
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
