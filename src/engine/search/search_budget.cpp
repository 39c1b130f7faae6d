// Counts steps as differences of the action's statistics, and derives deadlines from the session's elapsed
// time.
#include "engine/search/search_budget.hpp"

#include <algorithm>

namespace muster {

SearchBudget::SearchBudget(const Session& session, const std::string& action)
    : session_(session), limits_(session.settings.search) {
  if (const auto limit = limits_.of_action(action)) action_end_ = session.elapsed() + *limit;
}

bool SearchBudget::start_job() {
  scenarios_before_ = session_.stats.scenarios_simulated;
  nodes_before_ = session_.stats.nodes_tried;
  const Duration now = session_.elapsed();
  job_end_ = action_end_;
  if (limits_.job != Duration::zero())
    job_end_ = std::min(job_end_.value_or(Duration::max()), now + limits_.job);
  if (job_end_) job_end_ = std::max(*job_end_, now + limits_.min_job_time);
  return !job_end_ || now < *job_end_;
}

void SearchBudget::start_generator(const std::string& name) {
  generator_end_.reset();
  scenarios_end_ = limits_.scenarios_per_job;
  if (name == kExhaustiveGenerator)
    scenarios_end_ = std::min(
        scenarios_end_,
        scenarios() + std::max(limits_.exhaustive_min_scenarios, limits_.exhaustive_max_ratio * scenarios()));
  if (const auto limit = limits_.of_generator(name)) generator_end_ = session_.elapsed() + *limit;
}

Limit SearchBudget::reached() const {
  const std::int64_t nodes = session_.stats.nodes_tried - nodes_before_;
  if (scenarios() >= scenarios_end_ || nodes >= limits_.nodes_per_job) return Limit::kJob;
  if (!job_end_ && !generator_end_) return Limit::kNone;
  const Duration now = session_.elapsed();
  if (job_end_ && now >= *job_end_) return Limit::kTime;
  return generator_end_ && now >= *generator_end_ ? Limit::kGenerator : Limit::kNone;
}

}  // namespace muster
