// The outcome of a run as text: a row per queue, the cluster, the jobs that never started, and a summary
// line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/run_figures.hpp"
#include "report/run_report.hpp"
#include "terminal/table.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

std::string age(double seconds) {
  return format_age(Duration(static_cast<std::int64_t>(std::min(seconds, 9e9) * 1e9)));
}
std::string hours_text(double gpu_seconds) { return grouped_decimal(std::round(gpu_seconds / 360) / 10); }
std::string percent(double part) { return grouped_decimal(std::round(part * 1000) / 10) + " %"; }
std::string times(double value) { return fmt::format("{:.1f}", value); }
std::string count_text(std::size_t n) { return n == 0 ? std::string() : grouped(n); }

std::vector<Column> queue_columns() {
  const auto right = [](const char* title, const char* group = "", bool only_if_filled = false) {
    return Column{.title = title, .align = Align::kRight, .group = group, .only_if_filled = only_if_filled};
  };
  return {{"queue"},
          right("jobs"),
          right("finished"),
          right("failed", "", true),
          right("never started", "", true),
          right("p50", "wait"),
          right("p95", "wait"),
          right("p99", "wait"),
          right("max", "wait"),
          right("p50", "slowdown"),
          right("p95", "slowdown"),
          right("used", "GPU-hours"),
          right("fair", "GPU-hours"),
          right("lost", "GPU-hours"),
          right("evicted pods", "", true),
          right("requeues", "", true)};
}

std::vector<Cell> queue_row(const std::string& title, const QueueFigures& q) {
  const auto wait = [&](double Spread::*field) {
    return q.wait_seconds ? age((*q.wait_seconds).*field) : "–";
  };
  const auto slowdown = [&](double Spread::*field) { return q.slowdown ? times((*q.slowdown).*field) : "–"; };
  return {title,
          grouped(q.jobs),
          grouped(q.finished),
          count_text(q.failed),
          count_text(q.never_started),
          wait(&Spread::p50),
          wait(&Spread::p95),
          wait(&Spread::p99),
          wait(&Spread::max),
          slowdown(&Spread::p50),
          slowdown(&Spread::p95),
          hours_text(q.used),
          hours_text(q.fair),
          hours_text(q.lost),
          count_text(static_cast<std::size_t>(q.evicted_pods())),
          count_text(static_cast<std::size_t>(q.requeues))};
}

Text queues_part(const RunFigures& figures, const TextStyle& style) {
  Table table(queue_columns());
  for (const QueueFigures& q : figures.queues) table.add(queue_row(q.name, q));
  if (figures.queues.size() != 1) table.add(queue_row("all", figures.all));
  return style.heading("Queues") + table.text(style.table());
}

Text evictions_part(const RunFigures& figures, const TextStyle& style) {
  if (figures.all.evictions.empty()) return "";
  Table table({{"action"}, {"evicted pods", Align::kRight}});
  for (const auto& [action, pods] : figures.all.evictions)
    table.add({action, grouped(static_cast<std::size_t>(pods))});
  return style.heading("Evictions") + table.text(style.table());
}

Text cluster_part(const RunOutcome& o, const RunFigures& figures, const TextStyle& style) {
  const auto gpus = static_cast<double>(o.gpus) / 1000;
  Text text = format_text(
      "  {}, {} GPUs: average utilisation {}; {} idle although enough GPUs for a pending job "
      "were free in total",
      counted(static_cast<std::size_t>(o.nodes), "node"), grouped_decimal(gpus), percent(o.utilisation()),
      percent(o.fragmentation()));
  if (figures.makespan_seconds)
    text += format_text("; last job finished after {}", age(*figures.makespan_seconds));
  return style.heading("Cluster") + text + "\n";
}

// The job that has been waiting longest comes first.
Text never_started_part(const RunOutcome& o, const TextStyle& style) {
  std::vector<const JobOutcome*> jobs;
  for (const JobOutcome& job : o.jobs)
    if (!job.first_start) jobs.push_back(&job);
  if (jobs.empty()) return "";
  std::ranges::stable_sort(jobs, {}, [](const JobOutcome* j) { return j->submitted; });
  Table table({{"job"}, {"queue"}, {"GPUs", Align::kRight}, {"waited", Align::kRight}, {"reason"}});
  for (const JobOutcome* job : jobs)
    table.add({job->name, job->queue, grouped_decimal(static_cast<double>(job->gpus) / 1000),
               age(seconds_of(job->queued + job->held_idle)), job->reason});
  return style.heading("Never started") + table.text(style.table());
}

std::string span_text(const RunOutcome& o) {
  return fmt::format("{} to {} ({})", format_time(o.from), format_time(o.to), age(seconds_of(o.to - o.from)));
}

Text summary_part(const RunOutcome& o, const RunFigures& figures, const TextStyle& style) {
  const QueueFigures& all = figures.all;
  const Text text =
      format_text("{}{}: {} of {} finished in {}; {} evicted, {} GPU-hours lost",
                  o.is_cut ? "stopped early; " : "", span_text(o), grouped(all.finished),
                  counted(all.jobs, "job"), counted(static_cast<std::size_t>(o.cycles), "cycle"),
                  counted(static_cast<std::size_t>(all.evicted_pods()), "pod"), hours_text(all.lost));
  return "\n" + style.paint(Color::kBold, text) + "\n";
}

}  // namespace

Text run_text(const RunOutcome& outcome, const TextStyle& style) {
  const RunFigures figures = figures_of(outcome);
  const Text text = queues_part(figures, style) + evictions_part(figures, style) +
                    cluster_part(outcome, figures, style) + never_started_part(outcome, style) +
                    summary_part(outcome, figures, style);
  return text.without_leading_breaks();
}

}  // namespace muster::report
