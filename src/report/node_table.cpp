// The nodes as a table. If there are many, equal nodes share a row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/node_state.hpp"
#include "report/text_parts.hpp"
#include "report/totals.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

// Rounds down to hundredths, so that the text never exceeds the actual amount.
std::string share_text(double share) { return grouped_decimal(std::floor(share * 100 + 1e-6) / 100); }

// "2, with 0.5 + 0.25 free": the number of shared devices, and the free part of each.
std::string shared_text(const std::vector<SharedGpuState>& shared) {
  constexpr std::size_t kMostNamed = 4;
  if (shared.empty()) return "";
  std::vector<std::string> parts;
  double sum = 0, most = 0;
  for (const SharedGpuState& s : shared) {
    parts.push_back(share_text(s.free));
    sum += s.free;
    most = std::max(most, s.free);
  }
  if (parts.size() > kMostNamed)
    return fmt::format("{}, with {} free, at most {} on one GPU", grouped(parts.size()), share_text(sum),
                       share_text(most));
  return fmt::format("{}, with {} free", parts.size(), fmt::join(parts, " + "));
}

std::string state_text(const NodeState& stand) {
  std::vector<std::string_view> words;
  for (const ConditionName& condition : stand.conditions) words.emplace_back(condition.words);
  return fmt::format("{}", fmt::join(words, ", "));
}

// Equal nodes: the facts shown for each of them, and the number of their pods in total.
struct NodeRow {
  std::vector<std::string> names, facts;
  std::size_t pods = 0;
};

std::vector<NodeState> in_natural_order(const Cluster& cluster, const Decisions& last) {
  std::vector<NodeState> stands = node_states(cluster, last);
  std::stable_sort(stands.begin(), stands.end(), [&](const NodeState& a, const NodeState& b) {
    return natural_less(cluster.node(a.node).name, cluster.node(b.node).name);
  });
  return stands;
}

std::vector<NodeRow> rows_of(const Cluster& cluster, const Decisions& last, bool folds) {
  std::vector<NodeRow> rows;
  std::map<std::vector<std::string>, std::size_t> places;
  const bool has_gpus = gpu_totals(cluster).all > 0;
  for (const NodeState& s : in_natural_order(cluster, last)) {
    const std::vector<std::string> facts{has_gpus ? grouped_decimal(s.gpus) : "",
                                         has_gpus ? grouped_decimal(s.gpus_free) : "", shared_text(s.shared),
                                         s.fragmented ? share_text(*s.fragmented) : "", state_text(s)};
    const auto [place, is_new] = places.try_emplace(facts, rows.size());
    if (is_new || !folds) place->second = rows.size(), rows.push_back({.names = {}, .facts = facts});
    rows[place->second].names.push_back(cluster.node(s.node).name);
    rows[place->second].pods += s.pods;
  }
  return rows;
}

}  // namespace

Text nodes_text(const Cluster& cluster, const Decisions& last, const TextStyle& style) {
  const bool folds = cluster.nodes_by_name().size() > style.most_rows();
  Table table({{folds ? "nodes" : "node"},
               {.title = "count", .align = Align::kRight, .only_if_filled = true},
               {.title = folds ? "GPUs each" : "GPUs", .align = Align::kRight, .only_if_filled = true},
               {.title = folds ? "free each" : "free", .align = Align::kRight, .only_if_filled = true},
               {.title = "shared GPUs", .only_if_filled = true},
               {.title = "fragmented", .align = Align::kRight, .only_if_filled = true},
               {folds ? "total pods" : "pods", Align::kRight},
               {.title = "state", .only_if_filled = true}});
  for (const NodeRow& row : rows_of(cluster, last, folds))
    table.add({summarised(row.names),
               folds ? grouped(row.names.size()) : "",
               row.facts[0],
               row.facts[1],
               row.facts[2],
               row.facts[3],
               grouped(row.pods),
               {row.facts[4], Color::kWaiting}});
  return table.empty() ? Text() : style.heading("Nodes") + table.text(style.table());
}

}  // namespace muster::report
