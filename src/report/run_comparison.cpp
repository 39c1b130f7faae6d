// Compares runs of the same load: the same metrics of each run, and the ratio of the last run to the first.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/run_figures.hpp"
#include "report/run_report.hpp"
#include "terminal/table.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

using Number = std::optional<double>;

Number of(const std::optional<Spread>& spread, double Spread::*field) {
  return spread ? Number((*spread).*field) : std::nullopt;
}

struct NamedNumber {
  const char* name;
  Number (*of)(const QueueFigures&);
};
constexpr NamedNumber kOfQueues[] = {
    {"jobs", [](const QueueFigures& q) -> Number { return static_cast<double>(q.jobs); }},
    {"finished", [](const QueueFigures& q) -> Number { return static_cast<double>(q.finished); }},
    {"neverStarted", [](const QueueFigures& q) -> Number { return static_cast<double>(q.never_started); }},
    {"waitSeconds.mean", [](const QueueFigures& q) { return of(q.wait_seconds, &Spread::mean); }},
    {"waitSeconds.p50", [](const QueueFigures& q) { return of(q.wait_seconds, &Spread::p50); }},
    {"waitSeconds.p95", [](const QueueFigures& q) { return of(q.wait_seconds, &Spread::p95); }},
    {"waitSeconds.p99", [](const QueueFigures& q) { return of(q.wait_seconds, &Spread::p99); }},
    {"waitSeconds.max", [](const QueueFigures& q) { return of(q.wait_seconds, &Spread::max); }},
    {"slowdown.p50", [](const QueueFigures& q) { return of(q.slowdown, &Spread::p50); }},
    {"slowdown.p95", [](const QueueFigures& q) { return of(q.slowdown, &Spread::p95); }},
    {"gpuSeconds.used", [](const QueueFigures& q) -> Number { return q.used; }},
    {"gpuSeconds.lost", [](const QueueFigures& q) -> Number { return q.lost; }},
    {"evictions", [](const QueueFigures& q) -> Number { return static_cast<double>(q.evicted_pods()); }},
    {"requeues", [](const QueueFigures& q) -> Number { return static_cast<double>(q.requeues); }},
};

Difference difference(std::string metric, std::vector<Number> values) {
  Difference d{.metric = std::move(metric), .values = std::move(values), .ratio = {}};
  const Number &first = d.values.front(), &last = d.values.back();
  if (first && last && *first != 0) d.ratio = *last / *first;
  return d;
}

const QueueFigures* find(const RunFigures& figures, const std::string& name) {
  const auto at = std::ranges::find(figures.queues, name, &QueueFigures::name);
  return at == figures.queues.end() ? nullptr : &*at;
}

std::string shown(const std::string& metric, const Number& value) {
  if (!value) return "–";
  const bool is_time = metric.find("Seconds.") != metric.npos || metric.ends_with("Seconds");
  if (metric.find("gpuSeconds") != metric.npos)
    return grouped_decimal(std::round(*value / 360) / 10) + " GPU-h";
  if (is_time) return format_age(Duration(static_cast<std::int64_t>(std::min(*value, 9e9) * 1e9)));
  if (metric.ends_with("gpuUtilisation") || metric.ends_with("gpuFragmentation"))
    return grouped_decimal(std::round(*value * 1000) / 10) + " %";
  return grouped_decimal(std::round(*value * 100) / 100);
}

}  // namespace

std::vector<Difference> differences_between(std::span<const ComparedRun> runs) {
  std::vector<RunFigures> figures;
  for (const ComparedRun& run : runs) figures.push_back(figures_of(run.outcome));
  std::vector<Difference> all;
  const auto add = [&](std::string metric, auto value_of) {
    std::vector<Number> values;
    for (std::size_t i = 0; i < runs.size(); ++i) values.push_back(value_of(runs[i].outcome, figures[i]));
    all.push_back(difference(std::move(metric), std::move(values)));
  };
  add("gpuUtilisation", [](const RunOutcome& o, const RunFigures&) -> Number { return o.utilisation(); });
  add("gpuFragmentation", [](const RunOutcome& o, const RunFigures&) -> Number { return o.fragmentation(); });
  add("makespanSeconds", [](const RunOutcome&, const RunFigures& f) { return f.makespan_seconds; });
  for (const auto& [name, value] : kOfQueues)
    add(name, [of = value](const RunOutcome&, const RunFigures& f) { return of(f.all); });
  std::vector<std::string> queues;
  for (const RunFigures& f : figures)
    for (const QueueFigures& q : f.queues)
      if (std::ranges::find(queues, q.name) == queues.end()) queues.push_back(q.name);
  for (const std::string& queue : queues)
    for (const auto& [name, value] : kOfQueues)
      add("queues." + queue + "." + name, [&, of = value](const RunOutcome&, const RunFigures& f) {
        const QueueFigures* q = find(f, queue);
        return q != nullptr ? of(*q) : std::nullopt;
      });
  return all;
}

Text comparison_text(std::span<const ComparedRun> runs, const TextStyle& style) {
  std::vector<Column> columns{{"metric"}};
  for (const ComparedRun& run : runs)
    columns.push_back({run.config.empty() ? "default" : run.config, Align::kRight});
  columns.push_back({"ratio", Align::kRight});
  Table table(std::move(columns));
  for (const Difference& d : differences_between(runs)) {
    std::vector<Cell> row{d.metric};
    for (const Number& value : d.values) row.emplace_back(shown(d.metric, value));
    row.emplace_back(d.ratio ? fmt::format("{:.2f}", *d.ratio) : "–");
    table.add(std::move(row));
  }
  TableStyle all = style.table();
  all.most_rows = std::numeric_limits<std::size_t>::max();
  const Text text = (style.heading("Comparison") + table.text(all)).without_leading_breaks();
  for (const ComparedRun& run : runs)
    if (run.outcome.is_cut) return text + "\nstopped early: the runs do not cover the same period\n";
  return text;
}

}  // namespace muster::report
