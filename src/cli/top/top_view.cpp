// Formats queues, pending jobs and nodes as blocks of text that fit 80 columns.
#include "cli/top/top_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "answers/start_estimate.hpp"
#include "engine/order/waiting_jobs.hpp"
#include "model/reason_codes.hpp"
#include "report/job_state.hpp"
#include "report/json_parts.hpp"
#include "report/node_state.hpp"
#include "report/text_parts.hpp"
#include "report/totals.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestBar = 16;
constexpr auto kTimeForEstimates = std::chrono::milliseconds(500);

// Pending jobs in scheduling order, then those that are not considered.
std::vector<JobId> jobs_in_order(Cluster& cluster, const Policy& policy, TimePoint now) {
  Session session(cluster, policy, now);
  std::vector<JobId> jobs;
  for (JobOrder order = waiting_jobs(session, ""); !order.empty();) jobs.push_back(order.pop());
  std::set<JobId> known(jobs.begin(), jobs.end());
  for (JobId j : report::present_jobs(cluster))
    if (answers::is_waiting(cluster.job(j)) && !known.contains(j)) jobs.push_back(j);
  return jobs;
}

std::string bar(double used, double all) {
  const auto length = static_cast<std::size_t>(std::min<double>(all, kLongestBar));
  const double scale = all > 0 ? static_cast<double>(length) / all : 0;
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(used, 0.0, all) * scale));
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += i < full ? "█" : "░";
  return text;
}

// Nodes with GPUs, most free GPUs first. Nodes with the same counts share a row.
Text nodes_as_bars(const Cluster& cluster, const Decisions& last, const TextStyle& style) {
  std::map<std::pair<double, double>, std::vector<std::string>, std::greater<>> rows;  // free, all
  for (const report::NodeState& stand : report::node_states(cluster, last))
    if (stand.gpus > 0) rows[{stand.gpus_free, stand.gpus}].push_back(cluster.node(stand.node).name);
  if (rows.empty()) return "";
  Table table({{"GPUs", Align::kLeft},
               {"free", Align::kRight},
               {"of", Align::kRight},
               {"nodes", Align::kRight},
               {""}});
  for (auto& [gpus, names] : rows) {
    const std::size_t count = names.size();
    table.add({bar(gpus.second - gpus.first, gpus.second), grouped_decimal(gpus.first),
               grouped_decimal(gpus.second), grouped(count), summarised(std::move(names))});
  }
  return style.heading("Nodes") + table.text(style.table());
}

std::string start_text(const TopView& view, const TopJob& job) {
  if (!job.starts) return "?";
  const Duration until = *job.starts - view.round.now;
  return until <= Duration::zero() ? "now" : "in " + format_age(until);
}

// Counts pending jobs in each queue and below it, ignoring the filter.
std::map<QueueId, std::size_t> waiting_by_queue(const Cluster& cluster) {
  std::map<QueueId, std::size_t> counts;
  for (JobId j : report::present_jobs(cluster))
    if (answers::is_waiting(cluster.job(j)))
      for (QueueId q = cluster.job(j).queue; q.valid(); q = cluster.queue(q).parent) ++counts[q];
  return counts;
}

double trend_of(const TopView& view, QueueId queue) {
  const Cluster& c = view.inputs.cluster;
  const auto before = view.held_before.find(c.queue(queue).name);
  const double held = c.use(queue).allocated.share(Accounted::kGpus);
  return before == view.held_before.end() ? 0 : held - before->second;
}

std::string trend_text(double trend) {
  if (trend == 0) return "=";
  return (trend > 0 ? "↑" : "↓") + grouped_decimal(std::abs(trend));
}

Text queue_rows(const TopView& view, const TextStyle& style) {
  const Cluster& c = view.inputs.cluster;
  const auto counts = waiting_by_queue(c);
  report::QueueCells waiting{{"waiting", Align::kRight, "jobs"}, {}},
      trend{{"trend", Align::kRight, "GPUs"}, {}};
  for (const QueueShare& share : view.round.decisions.shares) {
    const auto found = counts.find(share.queue);
    waiting.cells.push_back(grouped(found == counts.end() ? 0 : found->second));
    trend.cells.push_back(trend_text(trend_of(view, share.queue)));
  }
  return report::queues_text(c, view.round, style, {waiting, trend});
}

ordered_json queue_list(const TopView& view) {
  const Cluster& c = view.inputs.cluster;
  const auto counts = waiting_by_queue(c);
  ordered_json list = report::queues_json(c, view.round);
  for (ordered_json& item : list) {
    const QueueId queue = c.find_queue(item["name"].get<std::string>());
    const auto found = counts.find(queue);
    item["waiting"] = found == counts.end() ? 0 : found->second;
    item["trend"] = trend_of(view, queue);
  }
  return list;
}

Text waiting_rows(const TopView& view, const TextStyle& style, std::optional<std::size_t> selected) {
  if (view.waiting.empty()) return style.heading("Waiting") + "  none\n";
  const Cluster& c = view.inputs.cluster;
  const report::JobNames names(c);
  Table table({{""},
               {"#", Align::kRight},
               {"job"},
               {"queue"},
               {"prio", Align::kRight},
               {"GPUs", Align::kRight},
               {"age", Align::kRight},
               {"starts", Align::kRight},
               {"reason"}});
  const std::size_t shown = std::min(view.waiting.size(), style.most_rows());
  for (std::size_t i = 0; i < view.waiting.size(); ++i) {
    if (i >= shown) {
      table.add_unseen();
      continue;
    }
    const TopJob& row = view.waiting[i];
    const Job& job = c.job(row.job);
    table.add({selected == i ? ">" : "", grouped(i + 1), names.of(row.job), job.queue_name,
               std::to_string(job.priority), grouped_decimal(report::gpus_of(c, job)),
               format_age(view.round.now - job.created), start_text(view, row),
               Cell(row.reason, Color::kWaiting)});
  }
  return style.heading(format_text("Waiting ({})", grouped(view.waiting.size()))) + table.text(style.table());
}

}  // namespace

TopView top_view(loader::Inputs&& inputs, const report::JobFilter& filter) {
  Cluster before = inputs.cluster;
  TopView view{.inputs = std::move(inputs),
               .before = std::move(before),
               .times = {},
               .round = {},
               .waiting = {},
               .held_before = {}};
  const TimePoint now = view.inputs.now;
  view.held_before = gpus_held(view.before);
  view.round = run_rounds(view.inputs.cluster, view.inputs.policy, {.cycles = 1, .now = now, .interval = {}},
                          [](const Round&) { return true; });
  std::map<JobId, std::string> reasons;
  for (const WaitingJob& w : report::waiting_after(view.inputs.cluster, view.round))
    reasons[w.job] = w.reasons.empty() ? "" : std::string(code_of(w.reasons.front().rule));
  const SteadyStopwatch stopwatch;
  view.times = view.inputs.known_times();
  const answers::State state{view.before, view.inputs.policy, now, &view.times};
  const answers::StartForecast futures(state, answers::outcome_of(state), {},
                                       {.time = kTimeForEstimates, .stopwatch = stopwatch});
  const std::vector<JobId> selected = report::selected_jobs(view.inputs.cluster, filter);
  const std::set<JobId> shown(selected.begin(), selected.end());
  std::vector<JobId> jobs = jobs_in_order(view.inputs.cluster, view.inputs.policy, now);
  std::erase_if(jobs, [&](JobId j) { return !shown.contains(j); });
  if (!filter.sort.empty()) report::sort_jobs(view.inputs.cluster, filter.sort, jobs);
  for (JobId j : jobs) view.waiting.push_back({j, reasons[j], futures.of(j).p50});
  return view;
}

GpusByQueue gpus_held(const Cluster& cluster) {
  GpusByQueue held;
  for (QueueId q : cluster.queue_tree().depth_first())
    held[cluster.queue(q).name] = cluster.use(q).allocated.share(Accounted::kGpus);
  return held;
}

Text top_text(const TopView& view, const TextStyle& style, std::optional<std::size_t> selected) {
  const Cluster& c = view.inputs.cluster;
  const report::GpuTotals gpus = report::gpu_totals(c);
  const Text text =
      format_text("{}: {} of {} GPUs in use on {}, {} waiting\n", format_time(view.round.now),
                  grouped_decimal(gpus.in_use), grouped_decimal(gpus.all),
                  counted(c.nodes_by_name().size(), "node"), counted(view.waiting.size(), "job"));
  return text + queue_rows(view, style) + waiting_rows(view, style, selected) +
         nodes_as_bars(c, view.round.decisions, style);
}

ordered_json top_json(const TopView& view) {
  const Cluster& c = view.inputs.cluster;
  ordered_json waiting = ordered_json::array();
  for (const TopJob& row : view.waiting) {
    const Job& job = c.job(row.job);
    waiting.push_back({{"job", job.full_name()},
                       {"queue", job.queue_name},
                       {"priority", job.priority},
                       {"gpus", report::gpus_of(c, job)},
                       {"created", format_time(job.created)},
                       {"reason", row.reason},
                       {"starts", row.starts ? ordered_json(format_time(*row.starts)) : ordered_json()}});
  }
  return {{"schema", "muster.dev/top/v1"},
          {"now", format_time(view.round.now)},
          {"queues", queue_list(view)},
          {"waiting", std::move(waiting)},
          {"nodes", report::nodes_json(c, view.round.decisions)}};
}

}  // namespace muster::cli
