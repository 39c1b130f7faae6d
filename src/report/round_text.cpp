// The decisions of each cycle, one line per job and kind of decision.
#include <fmt/format.h>

#include <map>
#include <tuple>
#include <utility>

#include "report/text_parts.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

// Equal decisions about pods of one job.
struct JobDecision {
  std::string verb;
  Color ink;
  JobId job;
  std::vector<std::string> pods = {};
  Tally nodes = {};
  std::string cause = {};
};

class JobDecisions {
 public:
  JobDecisions(const Cluster& cluster, const JobNames& names) : cluster_(cluster), names_(names) {}

  void add(const Decisions& decisions) {
    for (const BindDecision& b : decisions.binds) placed("bound", Color::kGood, b.task, b.node);
    for (const EvictDecision& e : decisions.evictions) evicted(e);
    for (const PipelineDecision& p : decisions.pipelined)
      placed("nominated", Color::kWaiting, p.task, p.node);
  }

  Table table() const {
    Table table({{"what"}, {"job"}, {"pods", Align::kRight}, {"where"}});
    for (const JobDecision& d : list_)
      table.add({{d.verb, d.ink}, names_.of(d.job), counted(d.pods.size(), "pod"), details(d)});
    return table;
  }

 private:
  JobDecision& at(const JobDecision& like) {
    const auto [found, is_new] = places_.try_emplace({like.verb, like.job, like.cause}, list_.size());
    if (is_new) list_.push_back(like);
    return list_[found->second];
  }

  void placed(const char* verb, Color ink, TaskId task, NodeId node) {
    JobDecision& decision = at({.verb = verb, .ink = ink, .job = cluster_.task(task).job});
    decision.pods.push_back(cluster_.task(task).name);
    ++decision.nodes[cluster_.node(node).name];
  }

  void evicted(const EvictDecision& e) {
    std::string cause = "by " + e.action;
    if (e.preemptor.valid()) cause += " for " + names_.of(e.preemptor);
    if (!e.rule.empty()) cause += ": " + e.rule;
    if (e.runtime_lost) cause += fmt::format(", {} of work lost", format_duration(*e.runtime_lost));
    at({.verb = "evicted", .ink = Color::kBad, .job = cluster_.task(e.task).job, .cause = std::move(cause)})
        .pods.push_back(cluster_.task(e.task).name);
  }

  static std::string details(const JobDecision& d) {
    std::string text = summarised(d.pods);
    if (!d.nodes.empty()) text += " → " + summarised(d.nodes);
    if (!d.cause.empty()) text += ", " + d.cause;
    return text;
  }

  const Cluster& cluster_;
  const JobNames& names_;
  std::vector<JobDecision> list_;
  std::map<std::tuple<std::string, JobId, std::string>, std::size_t> places_;
};

bool is_quiet(const Round& round) {
  const Decisions& d = round.decisions;
  return d.binds.empty() && d.evictions.empty() && d.pipelined.empty();
}

std::string cycle_text(int cycle) { return grouped(static_cast<std::size_t>(cycle)); }

}  // namespace

void RoundsText::add(const Round& round) {
  if (is_quiet(round)) {
    quiet_to_ = {round.cycle, round.now};
    if (quiet_from_.cycle == 0) quiet_from_ = quiet_to_;
    return;
  }
  text_ += quiet_text() + decisions_text(round);
  quiet_from_ = quiet_to_ = {};
}

Text RoundsText::quiet_text() const {
  if (quiet_from_.cycle == 0) return "";
  const std::string until = format_time(quiet_to_.now);
  const Text heading = quiet_from_.cycle == quiet_to_.cycle
                           ? format_text("Cycle {}, {}", cycle_text(quiet_to_.cycle), until)
                           : format_text("Cycles {} to {}, until {}", cycle_text(quiet_from_.cycle),
                                         cycle_text(quiet_to_.cycle), until);
  return style_.heading(heading) + "  nothing to bind or evict\n";
}

Text RoundsText::decisions_text(const Round& round) const {
  JobDecisions decisions(cluster_, names_);
  decisions.add(round.decisions);
  TableStyle table = style_.table();
  table.has_titles = false;
  return style_.heading(format_text("Cycle {}, {}", cycle_text(round.cycle), format_time(round.now))) +
         decisions.table().text(table);
}

}  // namespace muster::report
