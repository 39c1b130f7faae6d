// Who was nominated to give way.
#include "model/requeue_record.hpp"

#include <algorithm>

namespace muster {

std::string Nomination::all_names() const {
  std::string names;
  for (const std::string& name : by) names += (names.empty() ? "" : ",") + name;
  return names;
}

void RequeueRecord::nominate(JobId job, std::string_view plugin, Duration overrun) {
  auto at = std::find_if(nominated.begin(), nominated.end(), [&](const Nomination& n) { return n.job == job; });
  if (at == nominated.end()) at = nominated.insert(at, {.job = job, .by = {}, .overrun = overrun});
  at->overrun = std::max(at->overrun, overrun);
  if (std::find(at->by.begin(), at->by.end(), plugin) == at->by.end()) at->by.emplace_back(plugin);
}

void RequeueRecord::skip(JobId job, std::string_view plugin, std::string_view reason, std::string problem) {
  skipped.push_back({job, std::string(plugin), std::string(reason), std::move(problem)});
}

}  // namespace muster
