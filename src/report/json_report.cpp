// The report as JSON: each round as soon as it has run, then the final state.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/job_state.hpp"
#include "report/json_parts.hpp"
#include "report/report.hpp"
#include "report/totals.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema = "muster.dev/simulate/v1";

// The value, indented for a place `depth` levels below the top, with one space per level.
std::string dumped(const ordered_json& value, int depth) {
  const std::string text = value.dump(1, ' ', false, ordered_json::error_handler_t::replace),
                    indent(static_cast<std::size_t>(depth), ' ');
  std::string indented;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1) + 1;
    indented.append(text, from, end - from);
    if (end < text.size()) indented += indent;
    from = end;
  }
  return indented;
}

class JsonReport final : public Report {
 public:
  JsonReport(const Cluster& cluster, const ReportOptions& options, Write write)
      : cluster_(cluster), options_(options), write_(std::move(write)) {}

  void add(const Round& round) override {
    begin();
    totals_.add(round.decisions);
    if (options_.has_timing) add_stats(round.decisions, stats_);
    write_((has_rounds_ ? ",\n  " : "\n  ") + dumped(round_json(cluster_, round, options_.has_timing), 2));
    has_rounds_ = true;
  }

  void finish(const Round& last, const std::optional<Timing>& timing) override {
    begin();
    write_(has_rounds_ ? "\n ]" : "]");
    std::vector<JobId> jobs = selected_jobs(cluster_, options_.filter);
    const std::size_t shown = jobs.size();
    if (!options_.filter.sort.empty()) sort_jobs(cluster_, options_.filter.sort, jobs);
    field("pods", pods_json(cluster_, options_.filter.is_on() ? &jobs : nullptr));
    field("jobs", jobs_json(cluster_, last, jobs));
    field("queues", queues_json(cluster_, last));
    field("nodes", nodes_json(cluster_, last.decisions));
    field("totals", totals_json(last));
    if (last.cycle < options_.run.cycles) field("cutShort", true);
    if (options_.filter.is_on() || !options_.filter.sort.empty()) field("filters", filters_json(shown));
    if (timing) field("timing", total_timing(*timing));
    write_("\n}\n");
  }

 private:
  // Writes everything that is known before the first round.
  void begin() {
    if (std::exchange(has_begun_, true)) return;
    write_("{");
    field("schema", kSchema);
    field("now", format_time(options_.run.now));
    field("intervalSeconds", std::chrono::duration<double>(options_.run.interval).count());
    write_(",\n \"rounds\": [");
  }

  void field(const char* name, const ordered_json& value) {
    write_((std::exchange(has_fields_, true) ? ",\n \"" : "\n \"") + std::string(name) +
           "\": " + dumped(value, 1));
  }

  ordered_json totals_json(const Round& last) const {
    const Waiting waiting = waiting_totals(cluster_);
    const GpuTotals gpus = gpu_totals(cluster_);
    return {{"cyclesAsked", options_.run.cycles},
            {"cyclesRun", last.cycle},
            {"podsBound", totals_.bound},
            {"podsEvicted", totals_.evicted},
            {"jobs", present_jobs(cluster_).size()},
            {"jobsWaiting", waiting.jobs},
            {"podsWaiting", waiting.pods},
            {"nodes", cluster_.nodes_by_name().size()},
            {"gpus", gpus.all},
            {"gpusInUse", gpus.in_use}};
  }

  ordered_json filters_json(std::size_t shown) const {
    const JobFilter& filter = options_.filter;
    ordered_json json = ordered_json::object();
    if (!filter.ns.empty()) json["namespace"] = filter.ns;
    if (!filter.queue.empty()) json["queue"] = filter.queue;
    if (!filter.user.empty()) json["user"] = filter.user;
    if (!filter.job.empty()) json["job"] = filter.job;
    if (!filter.state.empty()) json["state"] = filter.state;
    if (!filter.sort.empty()) json["sort"] = filter.sort;
    json["jobsShown"] = shown;
    return json;
  }

  // The sum over all rounds.
  ordered_json total_timing(const Timing& timing) const {
    ordered_json json{{"readMs", timing.read_ms}};
    json.update(timing_json(stats_));
    json["cpuMs"] = timing.cpu_ms;
    json["peakRssMb"] = timing.peak_rss_mb;
    return json;
  }

  const Cluster& cluster_;
  const ReportOptions options_;
  const Write write_;
  Totals totals_;
  Decisions stats_;  // statistics of all rounds
  bool has_begun_ = false, has_fields_ = false, has_rounds_ = false;
};

}  // namespace

std::unique_ptr<Report> json_report(const Cluster& cluster, const ReportOptions& options, Write write) {
  return std::make_unique<JsonReport>(cluster, options, std::move(write));
}

}  // namespace muster::report
