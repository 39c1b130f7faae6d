// Records nominations for requeue.
#include "model/requeue_record.hpp"

#include <algorithm>

namespace muster {

std::string Nomination::all_names() const {
  std::string names;
  for (const std::string& name : by) names += (names.empty() ? "" : ",") + name;
  return names;
}

std::size_t RequeueRecord::commits() const { return is_dry_run ? 0 : attempts.size() - rollbacks(); }

std::size_t RequeueRecord::rollbacks() const {
  return static_cast<std::size_t>(std::ranges::count(attempts, false, &RequeueAttempt::found_room));
}

void RequeueRecord::nominate(JobId job, std::string_view plugin, Duration overrun) {
  const auto [place, is_new] = places_.try_emplace(job, nominated.size());
  if (is_new) nominated.push_back({.job = job, .by = {}, .overrun = overrun});
  Nomination& nomination = nominated[place->second];
  nomination.overrun = std::max(nomination.overrun, overrun);
  if (std::ranges::find(nomination.by, plugin) == nomination.by.end()) nomination.by.emplace_back(plugin);
}

void RequeueRecord::skip(JobId job, std::string_view plugin, std::string_view reason, std::string problem) {
  skipped.push_back({job, std::string(plugin), std::string(reason), std::move(problem)});
}

void RequeueRecord::warn(JobId job, std::string problem) {
  const auto is_same = [&](const RequeueWarning& w) { return w.job == job && w.problem == problem; };
  if (std::ranges::none_of(warnings, is_same)) warnings.push_back({job, std::move(problem)});
}

}  // namespace muster
