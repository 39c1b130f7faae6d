// The jobs as a table. If there are many, a table of their numbers per queue and state comes first.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/reason_text.hpp"
#include "report/job_state.hpp"
#include "report/text_parts.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

// If more jobs than this are listed, they are counted first.
constexpr std::size_t kMostWithoutSummary = 40;

Color ink_of(std::string_view status) {
  if (status == "Running") return Color::kGood;
  if (status == "Pending" || status == "NotReady") return Color::kWaiting;
  if (status == "Incomplete") return Color::kBad;
  return Color::kDim;
}

std::string count_text(std::int32_t count) { return grouped(static_cast<std::size_t>(count)); }

std::string nodes_of(const Cluster& cluster, const Job& job) {
  Tally nodes;
  for (const PodSet& set : job.pod_sets)
    for (TaskId t : set.tasks)
      if (const Placement& at = cluster.placement(t); in(at.status, kAllocatedSet) && at.node.valid())
        ++nodes[cluster.node(at.node).name];
  return summarised(nodes);
}

std::string pods_of(const Job& job) {
  return count_text(job.counts.in(kAllocatedSet)) + "/" + count_text(job.counts.in(kAlive));
}

std::string gpus_text(double gpus) { return gpus == 0 ? "" : grouped_decimal(gpus); }

// Maps each job to the code of the first reason why it is pending.
std::map<JobId, std::string> reason_codes(const std::vector<WaitingJob>& waiting) {
  std::map<JobId, std::string> codes;
  for (const WaitingJob& w : waiting)
    if (!w.reasons.empty()) codes[w.job] = code_of(w.reasons.front().rule);
  return codes;
}

Table table_of(const Cluster& cluster, const std::vector<JobId>& jobs, const Round& last,
               const std::vector<WaitingJob>& waiting) {
  const JobNames names(cluster);
  const auto codes = reason_codes(waiting);
  Table table({{"job"},
               {"queue"},
               {"priority", Align::kRight},
               {"age", Align::kRight},
               {.title = "GPUs", .align = Align::kRight, .only_if_filled = true},
               {"pods", Align::kRight},
               {"min", Align::kRight},
               {"status"},
               {.title = "reason", .only_if_filled = true},
               {.title = "nodes", .only_if_filled = true}});
  for (JobId j : jobs) {
    const Job& job = cluster.job(j);
    const std::string status = status_of(job);
    const auto code = codes.find(j);
    table.add({names.of(j),
               job.queue_name,
               std::to_string(job.priority),
               format_age(last.now - job.created),
               gpus_text(gpus_of(cluster, job)),
               pods_of(job),
               count_text(minimum_pods(job)),
               {status, ink_of(status)},
               code == codes.end() ? "" : code->second,
               nodes_of(cluster, job)});
  }
  return table;
}

// ---- many jobs

struct JobSum {
  std::size_t jobs = 0;
  double gpus = 0;
};
using SumsByStatus = std::map<std::string, JobSum>;

// In the order of interest to users.
constexpr const char* kStatuses[] = {"Pending",   "NotReady", "Incomplete", "Running",
                                     "Releasing", "Finished", "NoPods"};

// One entry per queue in the order of the jobs, then the sums over all queues. REQUIRES: jobs are sorted by
// queue.
std::vector<std::pair<std::string, SumsByStatus>> sums_by_queue(const Cluster& cluster,
                                                                const std::vector<JobId>& jobs) {
  std::vector<std::pair<std::string, SumsByStatus>> queues;
  SumsByStatus all;
  for (JobId j : jobs) {
    const Job& job = cluster.job(j);
    if (queues.empty() || queues.back().first != job.queue_name) queues.push_back({job.queue_name, {}});
    for (SumsByStatus* sums : {&queues.back().second, &all}) {
      JobSum& sum = (*sums)[status_of(job)];
      ++sum.jobs, sum.gpus += gpus_of(cluster, job);
    }
  }
  if (queues.size() > 1) queues.push_back({"all", all});
  return queues;
}

Table counts_table(const Cluster& cluster, const std::vector<JobId>& jobs) {
  std::vector<Column> columns{{"queue"}};
  for (const char* status : kStatuses) {
    columns.push_back({"jobs", Align::kRight, status, true});
    columns.push_back({"GPUs", Align::kRight, status, true});
  }
  Table table(columns);
  for (const auto& [queue, sums] : sums_by_queue(cluster, jobs)) {
    std::vector<Cell> row{queue};
    for (const char* status : kStatuses) {
      const auto sum = sums.find(status);
      row.emplace_back(sum == sums.end() ? "" : grouped(sum->second.jobs));
      row.emplace_back(sum == sums.end() ? "" : gpus_text(sum->second.gpus));
    }
    table.add(std::move(row));
  }
  return table;
}

Text heading_of(std::size_t shown, std::size_t all, const JobFilter& filter, const TextStyle& style) {
  if (!filter.is_on()) return style.heading("Jobs");
  return style.heading("Jobs") +
         wrapped(format_text("only {}: {} of {}", text_of(filter), grouped(shown), counted(all, "job")), "  ",
                 style.width);
}

}  // namespace

Text jobs_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
               const JobFilter& filter, const TextStyle& style) {
  const std::size_t all = present_jobs(cluster).size();
  std::vector<JobId> jobs = selected_jobs(cluster, filter);
  if (all == 0) return "";
  Text text = heading_of(jobs.size(), all, filter, style);
  if (jobs.empty()) return text;
  sort_jobs(cluster, "queue", jobs);
  const bool has_many = jobs.size() > kMostWithoutSummary;
  if (has_many) text += counts_table(cluster, jobs).text(style.table()) + "\n";
  if (!filter.sort.empty())
    sort_jobs(cluster, filter.sort, jobs);
  else if (has_many)
    std::stable_partition(jobs.begin(), jobs.end(), [&](JobId j) { return is_waiting(cluster.job(j)); });
  const std::size_t shown = std::min(jobs.size(), style.most_rows());
  Table table =
      table_of(cluster, {jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(shown)}, last, waiting);
  for (std::size_t i = shown; i < jobs.size(); ++i) table.add_unseen();
  return text + table.text(style.table());
}

}  // namespace muster::report
