// Gets the resource use of the process from the system, and sums up the measurements of the rounds.
#include <sys/resource.h>

#include <algorithm>

#include "report/report.hpp"

namespace muster::report {
namespace {

double milliseconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_usec) / 1e3;
}

void add(const ActionStats& more, std::vector<ActionStats>& sums) {
  auto at = std::find_if(sums.begin(), sums.end(),
                         [&](const ActionStats& sum) { return sum.action == more.action; });
  if (at == sums.end()) at = sums.insert(at, {.action = more.action});
  at->milliseconds += more.milliseconds;
  at->jobs_tried += more.jobs_tried;
  at->nodes_tried += more.nodes_tried;
  at->scenarios_simulated += more.scenarios_simulated;
}

}  // namespace

Timing timing_of_process(double read_ms) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.read_ms = read_ms,
          .cpu_ms = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
          .peak_rss_mb = static_cast<double>(usage.ru_maxrss) / 1024};
}

void add_stats(const Decisions& more, Decisions& sum) {
  sum.open_milliseconds += more.open_milliseconds;
  for (const ActionStats& stats : more.actions) add(stats, sum.actions);
}

}  // namespace muster::report
