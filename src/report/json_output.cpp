// Jobs as JSON, with the reasons why they are pending.
#include <map>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "report/job_state.hpp"
#include "report/json_parts.hpp"

namespace muster::report {

using nlohmann::ordered_json;

ordered_json jobs_json(const Cluster& c, const Round& last, const std::vector<JobId>& jobs) {
  const std::vector<WaitingJob> waiting = waiting_after(c, last);
  std::map<JobId, const WaitingJob*> by_job;
  for (const WaitingJob& w : waiting) by_job[w.job] = &w;
  ordered_json list = ordered_json::array();
  for (JobId j : jobs) {
    const Job& job = c.job(j);
    const auto found = by_job.find(j);
    ordered_json item{{"name", job.full_name()},
                      {"queue", job.queue_name},
                      {"status", status_of(job)},
                      {"reasons", found == by_job.end() ? ordered_json::array()
                                                        : answers::reasons_json(c, found->second->reasons)}};
    if (found != by_job.end() && !found->second->searches.empty())
      item["searches"] = answers::searches_json(c, found->second->searches);
    item.update(job_properties_json(c, job));
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace muster::report
