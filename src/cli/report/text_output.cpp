// The report as text: the parts put together, with what it cost and a summary.
#include <fmt/format.h>

#include <set>

#include "cli/report/job_state.hpp"
#include "cli/report/names.hpp"
#include "cli/report/report.hpp"
#include "cli/report/text_parts.hpp"
#include "model/reason_text.hpp"

namespace muster::cli {
namespace {

std::string milliseconds(double value) { return fmt::format("{:.2f}", value); }

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

std::string timing_text(const std::vector<Round>& rounds, const Timing& timing, const TextStyle& style) {
  const Decisions sum = summed_stats(rounds);
  Table table(timing_columns(sum.actions));
  table.add(timing_row("all", sum));
  for (const Round& round : rounds) table.add(timing_row(std::to_string(round.cycle), round.decisions));
  return style.heading("Timing") + table.text(style.table()) +
         fmt::format("  reading {} ms, processor {} ms, memory at most {:.1f} MB\n",
                     milliseconds(timing.read_ms), milliseconds(timing.cpu_ms), timing.peak_rss_mb);
}

std::string gpus_in_use(const Cluster& cluster) {
  std::int64_t used = 0, total = 0;
  for (NodeId n : cluster.nodes_by_name()) {
    total += cluster.allocatable().at(kGpu, n);
    used += cluster.allocatable().at(kGpu, n) - cluster.idle().at(kGpu, n);
  }
  const auto devices = [](std::int64_t units) {
    return decimal(static_cast<double>(units) / static_cast<double>(kOneGpu));
  };
  return fmt::format("{} of {} GPUs in use on {}", devices(used), devices(total),
                     counted(cluster.nodes_by_name().size(), "node"));
}

std::string summary_text(const Cluster& cluster, const std::vector<Round>& rounds,
                         const std::vector<WaitingJob>& waiting, const TextStyle& style) {
  std::size_t bound = 0, evicted = 0, waiting_pods = 0;
  for (const Round& round : rounds) {
    bound += round.decisions.binds.size();
    evicted += round.decisions.evictions.size();
  }
  for (const WaitingJob& w : waiting) {
    const StatusCounts& counts = cluster.job(w.job).counts;
    waiting_pods += static_cast<std::size_t>(counts.of(TaskStatus::kPending) + counts.of(TaskStatus::kGated));
  }
  const std::string text =
      fmt::format("{}: {} bound, {} evicted; {} of {} waiting; {}", counted(rounds.size(), "cycle"),
                  counted(bound, "pod"), grouped(evicted), counted(waiting_pods, "pod"),
                  counted(waiting.size(), "job"), gpus_in_use(cluster));
  return "\n" + style.paint(Ink::kBold, text) + "\n";
}

}  // namespace

JobNames::JobNames(const Cluster& cluster) : cluster_(cluster) {
  std::set<std::string_view> namespaces;
  for (const Job& job : cluster.jobs())
    if (job.present && namespaces.size() < 2) namespaces.insert(job.ns);
  has_namespaces_ = namespaces.size() > 1;
}

std::string to_text(const Cluster& cluster, const std::vector<Round>& rounds,
                    const std::optional<Timing>& timing, const TextStyle& style) {
  const std::vector<WaitingJob> waiting = waiting_after(cluster, rounds);
  std::string text = rounds_text(cluster, rounds, style) + queues_text(cluster, rounds, style) +
                     jobs_text(cluster, style) + requeue_text(cluster, rounds, style) +
                     waiting_text(cluster, rounds, waiting, style);
  if (timing) text += timing_text(rounds, *timing, style);
  text += summary_text(cluster, rounds, waiting, style);
  return text.substr(text.find_first_not_of('\n'));
}

}  // namespace muster::cli
