// The queues as an indented tree: what they may, hold and want.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/report/names.hpp"
#include "cli/report/text_parts.hpp"
#include "model/reason_text.hpp"

namespace muster::cli {
namespace {

constexpr double kMegabytesPerGigabyte = 1e3, kBytesPerMegabyte = 1e6, kMilliPerCore = 1e3;

const char* group_title(Accounted r) {
  switch (r) {
    case Accounted::kGpus:
      return "GPUs";
    case Accounted::kCores:
      return "CPU cores";
    case Accounted::kBytes:
      return "memory, GB";
  }
  return "";
}

std::string number(Accounted r, double value) {
  if (value < 0) return "∞";
  if (r == Accounted::kCores) return decimal(value / kMilliPerCore);
  if (r == Accounted::kBytes) return decimal(std::round(value / kBytesPerMegabyte) / kMegabytesPerGigabyte);
  return decimal(value);
}

bool has_bound(const Cluster& cluster, Accounted r) {
  return std::any_of(cluster.queues().begin(), cluster.queues().end(),
                     [&](const Queue& q) { return q.usable && (q.of(r).quota >= 0 || q.of(r).limit >= 0); });
}

std::vector<Accounted> shown_resources(const Cluster& cluster, const TextStyle& style) {
  std::vector<Accounted> shown{Accounted::kGpus};
  for (Accounted r : {Accounted::kCores, Accounted::kBytes})
    if (style.wide || has_bound(cluster, r)) shown.push_back(r);
  return shown;
}

std::vector<Column> columns_for(const std::vector<Accounted>& resources) {
  std::vector<Column> columns{{"queue"}};
  for (Accounted r : resources)
    for (const char* title : {"quota", "fair share", "in use", "wanted", "limit"})
      columns.push_back({title, Align::kRight, group_title(r)});
  return columns;
}

std::vector<Cell> row_of(const Cluster& cluster, const QueueShare& share,
                         const std::vector<Accounted>& resources) {
  const Queue& queue = cluster.queue(share.queue);
  std::vector<Cell> row{std::string(2 * static_cast<std::size_t>(queue.depth), ' ') + queue.shown_name()};
  for (Accounted r : resources) {
    row.emplace_back(number(r, queue.of(r).quota));
    row.emplace_back(number(r, share.fair_share[index(r)]));
    row.emplace_back(number(r, cluster.use(share.queue).allocated.share(r)));
    row.emplace_back(number(r, share.requested[index(r)]));
    row.emplace_back(number(r, queue.of(r).limit));
  }
  return row;
}

}  // namespace

std::string queues_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style) {
  if (rounds.empty() || rounds.back().decisions.shares.empty()) return "";
  const std::vector<Accounted> resources = shown_resources(cluster, style);
  Table table(columns_for(resources));
  for (const QueueShare& share : rounds.back().decisions.shares) table.add(row_of(cluster, share, resources));
  return style.heading("Queues") + table.text(style.table());
}

}  // namespace muster::cli
