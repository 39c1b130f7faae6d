// The report without its jobs, because there may be many, plus the aggregates that the charts need.
#include "report/page/page_data.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

#include "model/resources.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMostSlowest = 20;
constexpr std::size_t kMostEvictions = 5000;

struct WaitBin {
  const char* name;
  Duration up_to;
};
constexpr std::array<WaitBin, 10> kWaitBins{{{"at once", seconds(1)},
                                             {"≤ 1m", minutes(1)},
                                             {"≤ 5m", minutes(5)},
                                             {"≤ 15m", minutes(15)},
                                             {"≤ 1h", hours(1)},
                                             {"≤ 4h", hours(4)},
                                             {"≤ 12h", hours(12)},
                                             {"≤ 1d", hours(24)},
                                             {"≤ 3d", hours(72)},
                                             {"> 3d", Duration::max()}}};

double in_gpus(std::int64_t thousandths) { return static_cast<double>(thousandths) / kOneGpu; }

std::size_t bin_of(const JobOutcome& job) {
  const auto wait = job.wait();
  if (!wait) return kWaitBins.size();
  const auto fits = [&](const WaitBin& bin) { return *wait <= bin.up_to; };
  return static_cast<std::size_t>(std::ranges::find_if(kWaitBins, fits) - kWaitBins.begin());
}

ordered_json waits_of(const RunOutcome& outcome) {
  std::map<std::string, std::vector<std::int64_t>> counts;
  for (const JobOutcome& job : outcome.jobs) {
    auto& of_queue = counts[job.queue];
    of_queue.resize(kWaitBins.size() + 1);
    ++of_queue[bin_of(job)];
  }
  ordered_json bins = ordered_json::array(), queues = ordered_json::array();
  for (const WaitBin& bin : kWaitBins) bins.push_back(bin.name);
  bins.push_back("never");
  for (const auto& [name, of_queue] : counts) queues.push_back({{"name", name}, {"counts", of_queue}});
  return {{"bins", std::move(bins)}, {"queues", std::move(queues)}};
}

// The time from submission to the first start. Jobs that have not started wait until the end of the run.
Duration waited(const JobOutcome& job, TimePoint end) {
  return job.first_start.value_or(job.has_ended() ? job.submitted : end) - job.submitted;
}

ordered_json time_or_null(const std::optional<TimePoint>& t) {
  return t ? ordered_json(format_time(*t)) : ordered_json();
}

ordered_json slow_job(const JobOutcome& job, TimePoint end) {
  ordered_json stretches = ordered_json::array();
  for (const WaitStretch& stretch : job.waits)
    stretches.push_back(
        {{"from", format_time(stretch.from)}, {"to", format_time(stretch.to)}, {"reason", stretch.reason}});
  return {{"name", job.name},
          {"queue", job.queue},
          {"gpus", in_gpus(job.gpus)},
          {"submitted", format_time(job.submitted)},
          {"firstStart", time_or_null(job.first_start)},
          {"waitSeconds", seconds_of(waited(job, end))},
          {"stretches", std::move(stretches)}};
}

ordered_json slowest_of(const RunOutcome& outcome) {
  std::vector<const JobOutcome*> jobs;
  for (const JobOutcome& job : outcome.jobs) jobs.push_back(&job);
  const std::size_t count = std::min(kMostSlowest, jobs.size());
  std::ranges::partial_sort(jobs, jobs.begin() + static_cast<std::ptrdiff_t>(count), [&](auto* a, auto* b) {
    const Duration of_a = waited(*a, outcome.to), of_b = waited(*b, outcome.to);
    return of_a != of_b ? of_a > of_b : a->name < b->name;
  });
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < count && waited(*jobs[i], outcome.to) > Duration::zero(); ++i)
    list.push_back(slow_job(*jobs[i], outcome.to));
  return list;
}

ordered_json evictions_of(const RunOutcome& outcome) {
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < std::min(kMostEvictions, outcome.evictions.size()); ++i) {
    const EvictionNote& note = outcome.evictions[i];
    list.push_back({{"at", format_time(note.at)},
                    {"pod", note.pod},
                    {"queue", note.queue},
                    {"action", note.action},
                    {"for", note.preemptor},
                    {"rule", note.rule}});
  }
  return list;
}

// The JSON output without jobs, and without values that differ between two equal runs.
ordered_json report_of(const RunOutcome& outcome) {
  std::string text;
  write_run_json(outcome, [&](std::string_view piece) { text += piece; });
  const auto is_wanted = [](int depth, ordered_json::parse_event_t event, const ordered_json& key) {
    return !(depth == 1 && event == ordered_json::parse_event_t::key &&
             (key == "jobs" || key == "wallSeconds"));
  };
  return ordered_json::parse(text, is_wanted);
}

ordered_json run_data(const ComparedRun& run) {
  return {{"name", run.config.empty() ? "default configuration" : run.config},
          {"report", report_of(run.outcome)},
          {"waits", waits_of(run.outcome)},
          {"evictions", evictions_of(run.outcome)},
          {"evictionCount", run.outcome.eviction_count},
          {"slowest", slowest_of(run.outcome)}};
}

ordered_json number_or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json();
}

ordered_json differences_of(std::span<const ComparedRun> runs) {
  ordered_json list = ordered_json::array();
  if (runs.size() < 2) return list;
  for (const Difference& difference : differences_between(runs)) {
    ordered_json values = ordered_json::array();
    for (const auto& value : difference.values) values.push_back(number_or_null(value));
    list.push_back({{"metric", difference.metric},
                    {"values", std::move(values)},
                    {"ratio", number_or_null(difference.ratio)}});
  }
  return list;
}

}  // namespace

ordered_json page_data(std::span<const ComparedRun> runs) {
  ordered_json list = ordered_json::array();
  for (const ComparedRun& run : runs) list.push_back(run_data(run));
  return {{"runs", std::move(list)}, {"differences", differences_of(runs)}};
}

}  // namespace muster::report
