// The report as text: combines the parts and adds timing and a summary.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "report/job_state.hpp"
#include "report/report.hpp"
#include "report/text_parts.hpp"
#include "report/totals.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

// Always writes two decimals, so that the columns line up.
std::string milliseconds(double value) {
  const std::string text = fmt::format("{:.2f}", value), whole = text.substr(0, text.size() - 3);
  return grouped(static_cast<std::size_t>(std::stoull(whole))) + text.substr(whole.size());
}

std::vector<Column> timing_columns(const std::vector<ActionStats>& actions) {
  std::vector<Column> columns{{"cycle"}, {"open", Align::kRight, "milliseconds"}};
  for (const ActionStats& a : actions) columns.push_back({a.action, Align::kRight, "milliseconds"});
  columns.push_back({"nodes tried", Align::kRight});
  columns.push_back({"scenarios", Align::kRight});
  return columns;
}

std::vector<Cell> timing_row(const std::string& title, const Decisions& d) {
  std::vector<Cell> row{title, milliseconds(d.open_milliseconds)};
  std::int64_t nodes = 0, scenarios = 0;
  for (const ActionStats& a : d.actions) {
    row.emplace_back(milliseconds(a.milliseconds));
    nodes += a.nodes_tried;
    scenarios += a.scenarios_simulated;
  }
  row.emplace_back(grouped(static_cast<std::size_t>(nodes)));
  row.emplace_back(grouped(static_cast<std::size_t>(scenarios)));
  return row;
}

class TextReport final : public Report {
 public:
  TextReport(const Cluster& cluster, const ReportOptions& options, WriteText write)
      : cluster_(cluster),
        options_(options),
        write_(std::move(write)),
        rounds_(cluster, options.style),
        requeue_(cluster) {}

  void add(const Round& round) override {
    rounds_.add(round);
    requeue_.add(round);
    totals_.add(round.decisions);
    if (options_.has_timing) add_timing(round);
  }

  void finish(const Round& last, const std::optional<Timing>& timing) override {
    const TextStyle& style = options_.style;
    std::vector<WaitingJob> waiting = waiting_after(cluster_, last);
    const std::vector<JobId> selected = selected_jobs(cluster_, options_.filter);
    const std::set<JobId> shown(selected.begin(), selected.end());
    std::erase_if(waiting, [&](const WaitingJob& w) { return !shown.contains(w.job); });
    Text text = rounds_.text() + queues_text(cluster_, last, style) +
                nodes_text(cluster_, last.decisions, style) +
                jobs_text(cluster_, last, waiting, options_.filter, style) + requeue_.text(style) +
                waiting_text(cluster_, last, waiting, style);
    if (timing) text += timing_text(*timing);
    text += summary_text(last);
    write_(text.without_leading_breaks());
  }

 private:
  // Cycles that would be cut off in the table are only counted.
  void add_timing(const Round& round) {
    add_stats(round.decisions, stats_);
    if (cycles_.size() < options_.style.most_rows())
      cycles_.push_back(timing_row(grouped(static_cast<std::size_t>(round.cycle)), round.decisions));
    else
      ++unseen_;
  }

  Text timing_text(const Timing& timing) const {
    Table table(timing_columns(stats_.actions));
    table.add(timing_row("all", stats_));
    for (const std::vector<Cell>& row : cycles_) table.add(row);
    for (std::size_t i = 0; i < unseen_; ++i) table.add_unseen();
    return options_.style.heading("Timing") + table.text(options_.style.table()) +
           format_text("  reading {} ms, CPU time {} ms, peak memory {} MB\n", milliseconds(timing.read_ms),
                       milliseconds(timing.cpu_ms),
                       grouped_decimal(std::round(timing.peak_rss_mb * 10) / 10));
  }

  Text summary_text(const Round& last) const {
    const Waiting waiting = waiting_totals(cluster_);
    const GpuTotals gpus = gpu_totals(cluster_);
    const auto asked = static_cast<std::size_t>(options_.run.cycles),
               done = static_cast<std::size_t>(last.cycle);
    const std::string cycles =
        done < asked ? fmt::format("stopped after {} of {}", grouped(done), counted(asked, "cycle"))
                     : counted(done, "cycle");
    const Text text =
        format_text("{}: {} bound, {} evicted; {} of {} waiting; {} of {} GPUs in use on {}", cycles,
                    counted(totals_.bound, "pod"), grouped(totals_.evicted), counted(waiting.pods, "pod"),
                    counted(waiting.jobs, "job"), grouped_decimal(gpus.in_use), grouped_decimal(gpus.all),
                    counted(cluster_.nodes_by_name().size(), "node"));
    return "\n" + options_.style.paint(Color::kBold, text) + "\n";
  }

  const Cluster& cluster_;
  const ReportOptions options_;
  const WriteText write_;
  RoundsText rounds_;
  RequeueText requeue_;
  Totals totals_;
  Decisions stats_;                        // statistics of all cycles
  std::vector<std::vector<Cell>> cycles_;  // timing of each cycle
  std::size_t unseen_ = 0;
};

}  // namespace

JobNames::JobNames(const Cluster& cluster) : cluster_(cluster) {
  std::set<std::string_view> namespaces;
  for (const Job& job : cluster.jobs())
    if (job.present && namespaces.size() < 2) namespaces.insert(job.ns);
  has_namespaces_ = namespaces.size() > 1;
}

std::unique_ptr<Report> text_report(const Cluster& cluster, const ReportOptions& options, WriteText write) {
  return std::make_unique<TextReport>(cluster, options, std::move(write));
}

}  // namespace muster::report
