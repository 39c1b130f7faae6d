// How far one action's searches go: counted in steps, with the clock as an outer guard. actions.md 9.1.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/cycle/policy.hpp"
#include "model/decisions.hpp"

namespace muster {

enum class Limit : std::uint8_t { kNone, kGenerator, kJob, kTime };  // kTime: the action ends

class SearchBudget {
 public:
  SearchBudget(const SearchLimits& limits, const ActionStats& stats, const std::string& action);

  // False: nothing is left of the action's time.
  bool start_job();
  void start_generator(const std::string& name);
  // Asked between scenarios.
  Limit reached() const;
  std::int64_t scenarios() const { return stats_.scenarios_simulated - scenarios_before_; }

 private:
  using Clock = std::chrono::steady_clock;

  const SearchLimits& limits_;
  const ActionStats& stats_;
  std::optional<Clock::time_point> action_end_, job_end_, generator_end_;
  std::int64_t scenarios_before_ = 0, nodes_before_ = 0;
};

}  // namespace muster
