// The parts of the text output put together.
#include "cli/report/text_output.hpp"

#include <fmt/format.h>

#include "cli/report/job_state.hpp"
#include "cli/report/job_table.hpp"
#include "cli/report/names.hpp"
#include "cli/report/queue_table.hpp"
#include "cli/report/requeue_table.hpp"
#include "cli/report/round_text.hpp"
#include "cli/report/waiting_text.hpp"
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

std::string timing_text(const SimulationResult& result, const Timing& timing, const TextStyle& style) {
  const Decisions sum = summed_stats(result);
  Table table(timing_columns(sum.actions));
  table.add(timing_row("all", sum));
  for (const Round& round : result.rounds)
    table.add(timing_row(std::to_string(round.cycle), round.decisions));
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

std::string summary_text(const Cluster& cluster, const SimulationResult& result,
                         const std::vector<WaitingJob>& waiting, const TextStyle& style) {
  std::size_t bound = 0, evicted = 0, waiting_pods = 0;
  for (const Round& round : result.rounds) {
    bound += round.decisions.binds.size();
    evicted += round.decisions.evictions.size();
  }
  for (const WaitingJob& w : waiting) {
    const StatusCounts& counts = cluster.job(w.job).counts;
    waiting_pods += static_cast<std::size_t>(counts.of(TaskStatus::kPending) + counts.of(TaskStatus::kGated));
  }
  const std::string text =
      fmt::format("{}: {} bound, {} evicted; {} of {} waiting; {}", counted(result.rounds.size(), "cycle"),
                  counted(bound, "pod"), grouped(evicted), counted(waiting_pods, "pod"),
                  counted(waiting.size(), "job"), gpus_in_use(cluster));
  return "\n" + style.paint(Ink::kBold, text) + "\n";
}

}  // namespace

std::string to_text(const Cluster& cluster, const SimulationResult& result,
                    const std::optional<Timing>& timing, const TextStyle& style) {
  const std::vector<WaitingJob> waiting = waiting_after(cluster, result);
  std::string text = rounds_text(cluster, result.rounds, style) + queues_text(cluster, result, style) +
                     jobs_text(cluster, style) + requeue_text(cluster, result.rounds, style) +
                     waiting_text(cluster, result, waiting, style);
  if (timing) text += timing_text(result, *timing, style);
  text += summary_text(cluster, result, waiting, style);
  return text.substr(text.find_first_not_of('\n'));
}

}  // namespace muster::cli
