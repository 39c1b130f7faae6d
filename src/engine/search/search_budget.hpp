// Limits the searches of one action: by steps, with elapsed time as an outer limit. actions.md 9.1.
#pragma once

#include <optional>
#include <string>

#include "engine/cycle/session.hpp"

namespace muster {

enum class Limit : std::uint8_t { kNone, kGenerator, kJob, kTime };  // kTime: the action ends

class SearchBudget {
 public:
  SearchBudget(const Session& session, const std::string& action);

  // Returns false if the action has no time left.
  bool start_job();
  void start_generator(const std::string& name);
  // Called between scenarios.
  Limit reached() const;
  std::int64_t scenarios() const { return session_.stats.scenarios_simulated - scenarios_before_; }

 private:
  const Session& session_;
  const SearchLimits& limits_;
  std::optional<Duration> action_end_, job_end_, generator_end_;  // in elapsed time of the session
  std::int64_t scenarios_before_ = 0, nodes_before_ = 0, scenarios_end_ = 0;
};

}  // namespace muster
