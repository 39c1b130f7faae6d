// What each cycle did, one line per job and kind of decision.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "cli/report/names.hpp"
#include "cli/report/text_parts.hpp"

namespace muster::cli {
namespace {

// What one decision did to pods of one job.
struct Happening {
  std::string verb;
  Ink ink;
  JobId job;
  std::vector<std::string> pods = {};
  Tally nodes = {};
  std::string cause = {};
};

class Happenings {
 public:
  explicit Happenings(const Cluster& cluster) : cluster_(cluster), names_(cluster) {}

  void add(const Decisions& decisions) {
    for (const BindDecision& b : decisions.binds) placed("bound", Ink::kGood, b.task, b.node);
    for (const EvictDecision& e : decisions.evictions) evicted(e);
    for (const PipelineDecision& p : decisions.pipelined) placed("pipelined", Ink::kWaiting, p.task, p.node);
  }

  Table table() const {
    Table table({{"what"}, {"job"}, {"pods", Align::kRight}, {"where"}});
    for (const Happening& h : list_)
      table.add({{h.verb, h.ink}, names_.of(h.job), counted(h.pods.size(), "pod"), details(h)});
    return table;
  }

 private:
  Happening& at(const Happening& like) {
    const auto [found, is_new] = places_.try_emplace({like.verb, like.job, like.cause}, list_.size());
    if (is_new) list_.push_back(like);
    return list_[found->second];
  }

  void placed(const char* verb, Ink ink, TaskId task, NodeId node) {
    Happening& happening = at({.verb = verb, .ink = ink, .job = cluster_.task(task).job});
    happening.pods.push_back(cluster_.task(task).name);
    ++happening.nodes[cluster_.node(node).name];
  }

  void evicted(const EvictDecision& e) {
    std::string cause = "by " + e.action;
    if (e.contender.valid()) cause += " for " + names_.of(e.contender);
    if (!e.rule.empty()) cause += ": " + e.rule;
    if (e.runtime_lost) cause += fmt::format(", {} of its run lost", format_duration(*e.runtime_lost));
    at({.verb = "evicted", .ink = Ink::kBad, .job = cluster_.task(e.task).job, .cause = std::move(cause)})
        .pods.push_back(cluster_.task(e.task).name);
  }

  static std::string details(const Happening& h) {
    std::string text = summarised(h.pods);
    if (!h.nodes.empty()) text += " → " + summarised(h.nodes);
    if (!h.cause.empty()) text += ", " + h.cause;
    return text;
  }

  const Cluster& cluster_;
  const JobNames names_;
  std::vector<Happening> list_;
  std::map<std::tuple<std::string, JobId, std::string>, std::size_t> places_;
};

bool is_quiet(const Round& round) {
  const Decisions& d = round.decisions;
  return d.binds.empty() && d.evictions.empty() && d.pipelined.empty();
}

std::string quiet_text(const Round& first, const Round& last, const TextStyle& style) {
  if (first.cycle == last.cycle)
    return style.heading(fmt::format("Cycle {}, {}", first.cycle, format_time(first.now))) +
           "  nothing to bind or evict\n";
  return style.heading(
             fmt::format("Cycles {} to {}, until {}", first.cycle, last.cycle, format_time(last.now))) +
         "  nothing to bind or evict\n";
}

std::string round_text(const Cluster& cluster, const Round& round, const TextStyle& style) {
  Happenings happenings(cluster);
  happenings.add(round.decisions);
  TableStyle table = style.table();
  table.has_titles = false;
  return style.heading(fmt::format("Cycle {}, {}", round.cycle, format_time(round.now))) +
         happenings.table().text(table);
}

}  // namespace

std::string rounds_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    if (!is_quiet(rounds[i])) {
      text += round_text(cluster, rounds[i], style);
      continue;
    }
    const std::size_t first = i;
    while (i + 1 < rounds.size() && is_quiet(rounds[i + 1])) ++i;
    text += quiet_text(rounds[first], rounds[i], style);
  }
  return text;
}

}  // namespace muster::cli
