// The queues as an indented tree, with their bounds, their use and their requests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text_parts.hpp"
#include "util/names.hpp"

namespace muster::report {
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
  if (r == Accounted::kCores) return grouped_decimal(value / kMilliPerCore);
  if (r == Accounted::kBytes)
    return grouped_decimal(std::round(value / kBytesPerMegabyte) / kMegabytesPerGigabyte);
  return grouped_decimal(value);
}

// A column with one number per queue about one resource, in the order of the shares.
struct QueueColumn {
  const char* title;
  Accounted resource;
  std::vector<double> values;

  bool is_all(double value) const {
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
  }
};

constexpr double kUnlimited = -1;

class QueueColumns {
 public:
  QueueColumns(const Cluster& cluster, const std::vector<QueueShare>& shares)
      : cluster_(cluster), shares_(shares) {}

  // Adds the columns of the resource that are informative. A column is left out if all its values are
  // unlimited, or, except for the limit, if all are zero.
  void add(Accounted r) {
    const auto queue = [&](const QueueShare& s) -> const QueueAmounts& {
      return cluster_.queue(s.queue).of(r);
    };
    add("quota", r, [&](const QueueShare& s) { return std::max(queue(s).quota, kUnlimited); });
    add("fair share", r, [&](const QueueShare& s) { return s.fair_share[index(r)]; });
    add("in use", r, [&](const QueueShare& s) { return cluster_.use(s.queue).allocated.share(r); });
    add("requested", r, [&](const QueueShare& s) { return s.requested[index(r)]; });
    add(
        "limit", r, [&](const QueueShare& s) { return std::max(queue(s).limit, kUnlimited); }, false);
  }
  const std::vector<QueueColumn>& list() const { return list_; }

 private:
  template <class ValueOf>
  void add(const char* title, Accounted r, ValueOf value_of, bool skip_zeros = true) {
    QueueColumn column{title, r, {}};
    for (const QueueShare& s : shares_) column.values.push_back(value_of(s));
    if (!column.is_all(kUnlimited) && !(skip_zeros && column.is_all(0))) list_.push_back(std::move(column));
  }

  const Cluster& cluster_;
  const std::vector<QueueShare>& shares_;
  std::vector<QueueColumn> list_;
};

bool has_bound(const Cluster& cluster, Accounted r) {
  return std::any_of(cluster.queues().begin(), cluster.queues().end(), [&](const Queue& q) {
    return q.present && q.usable && (q.of(r).quota > 0 || q.of(r).limit >= 0);
  });
}

bool is_shown(const Cluster& cluster, Accounted r, const TextStyle& style) {
  return r == Accounted::kGpus || style.wide || has_bound(cluster, r);
}

std::vector<Cell> row_of(const Queue& queue, const std::vector<QueueColumn>& columns, std::size_t row) {
  const bool has_own_display_name = queue.shown_name() != queue.name;
  std::vector<Cell> cells{std::string(2 * static_cast<std::size_t>(queue.depth), ' ') + queue.name,
                          has_own_display_name ? queue.display_name : ""};
  for (const QueueColumn& column : columns) cells.emplace_back(number(column.resource, column.values[row]));
  return cells;
}

}  // namespace

Text queues_text(const Cluster& cluster, const Round& last, const TextStyle& style,
                 const std::vector<QueueCells>& more) {
  const std::vector<QueueShare>& shares = last.decisions.shares;
  if (shares.empty()) return "";
  QueueColumns numbers(cluster, shares);
  for (Accounted r : {Accounted::kGpus, Accounted::kCores, Accounted::kBytes})
    if (is_shown(cluster, r, style)) numbers.add(r);
  std::vector<Column> columns{{"queue"}, {.title = "display name", .only_if_filled = true}};
  for (const QueueColumn& c : numbers.list())
    columns.push_back({c.title, Align::kRight, group_title(c.resource)});
  for (const QueueCells& c : more) columns.push_back(c.column);
  Table table(columns);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::vector<Cell> row = row_of(cluster.queue(shares[i].queue), numbers.list(), i);
    for (const QueueCells& c : more) row.emplace_back(c.cells[i]);
    table.add(std::move(row));
  }
  return style.heading("Queues") + table.text(style.table());
}

}  // namespace muster::report
