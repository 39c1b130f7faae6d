// How far searches go.
#include "engine/search/search_budget.hpp"

#include <algorithm>

namespace muster {

SearchBudget::SearchBudget(const SearchLimits& limits, const ActionStats& stats, const std::string& action)
    : limits_(limits), stats_(stats) {
  if (const auto limit = limits.of_action(action)) action_end_ = Clock::now() + *limit;
}

bool SearchBudget::start_job() {
  scenarios_before_ = stats_.scenarios_simulated;
  nodes_before_ = stats_.nodes_tried;
  const auto now = Clock::now();
  job_end_ = action_end_;
  if (limits_.job != Duration::zero())
    job_end_ = std::min(job_end_.value_or(Clock::time_point::max()), now + limits_.job);
  if (job_end_) job_end_ = std::max(*job_end_, now + limits_.job_floor);
  return !job_end_ || now < *job_end_;
}

void SearchBudget::start_generator(const std::string& name) {
  generator_end_.reset();
  if (const auto limit = limits_.of_generator(name)) generator_end_ = Clock::now() + *limit;
}

Limit SearchBudget::reached() const {
  if (scenarios() >= limits_.scenarios_per_job || stats_.nodes_tried - nodes_before_ >= limits_.nodes_per_job)
    return Limit::kJob;
  if (!job_end_ && !generator_end_) return Limit::kNone;
  const auto now = Clock::now();
  if (job_end_ && now >= *job_end_) return Limit::kTime;
  return generator_end_ && now >= *generator_end_ ? Limit::kGenerator : Limit::kNone;
}

}  // namespace muster
