// Jobs that agreed to give way, what came of it and why; equal cycles share a row.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "cli/report/names.hpp"
#include "cli/report/text_parts.hpp"

namespace muster::cli {
namespace {

// What matters most stands first.
enum class Fate : unsigned char { kRequeued, kNoRoom, kNominated, kSpared, kWarned, kNotNominated };

struct Row {
  Fate fate;
  JobId job = {};  // not valid: it is about a queue
  std::string what, why;
  Ink ink = Ink::kPlain;
  int first = 0, last = 0;  // cycles
};

class Rows {
 public:
  explicit Rows(const Cluster& cluster) : cluster_(cluster), names_(cluster) {}

  void add(const Round& round) {
    cycle_ = round.cycle;
    const RequeueRecord& record = *round.decisions.requeue;
    for (const RequeueAttempt& attempt : record.attempts) add(attempt, record.is_dry_run);
    for (const Nomination& n : record.nominated)
      add({.fate = Fate::kNominated,
           .job = n.job,
           .what = "nominated",
           .why =
               fmt::format("overdue since {}, says {}", format_time(round.now - n.overrun), n.all_names())});
    for (const PassedOver& p : record.passed_over)
      add({.fate = Fate::kSpared, .job = p.job, .what = "spared", .why = p.reason});
    for (const QueueWarning& w : record.queue_warnings)
      add({.fate = Fate::kWarned,
           .what = "warning",
           .why = fmt::format("queue {}: {}", cluster_.queue(w.queue).name, w.problem),
           .ink = Ink::kWaiting});
    for (const RequeueWarning& w : record.warnings)
      add({.fate = Fate::kWarned, .job = w.job, .what = "warning", .why = w.problem, .ink = Ink::kWaiting});
    add_skips(record);
  }

  Table table() {
    std::ranges::stable_sort(rows_, {}, &Row::fate);
    Table table({{"cycles"}, {"job"}, {"what"}, {"why"}});
    for (const Row& r : rows_)
      table.add({cycles(r), r.job.valid() ? names_.of(r.job) : "", {r.what, r.ink}, r.why});
    return table;
  }

 private:
  // What goes on unchanged is one row.
  void add(Row row) {
    const auto [place, is_new] = places_.try_emplace({row.job, row.what, row.why}, rows_.size());
    const bool goes_on = !is_new && rows_[place->second].last >= cycle_ - 1;
    if (goes_on) {
      rows_[place->second].last = cycle_;
      return;
    }
    place->second = rows_.size();
    row.first = row.last = cycle_;
    rows_.push_back(std::move(row));
  }

  void add(const RequeueAttempt& attempt, bool is_dry_run) {
    if (!attempt.found_room)
      add({.fate = Fate::kNoRoom,
           .job = attempt.contender,
           .what = "gets no room",
           .why = "overdue jobs that it outranks would not make enough"});
    for (const RequeueAttempt::Victim& v : attempt.victims)
      add({.fate = Fate::kRequeued,
           .job = v.job,
           .what = is_dry_run ? "would be requeued" : "requeued",
           .why = fmt::format("{} for {}; not asked again before {}", counted(v.tasks.size(), "pod"),
                              names_.of(attempt.contender), format_time(v.not_before)),
           .ink = is_dry_run ? Ink::kWaiting : Ink::kBad});
  }

  void add_skips(const RequeueRecord& record) {
    std::map<JobId, TimePoint> ends;
    for (const NominationCheck& c : record.checks)
      if (c.not_before) ends[c.job] = *c.not_before;
    for (const NominationSkip& s : record.skipped) {
      std::string why = s.reason;
      if (s.reason == "cooldown" && ends.contains(s.job)) why += " until " + format_time(ends[s.job]);
      if (!s.problem.empty()) why += ": " + s.problem;
      add({.fate = Fate::kNotNominated,
           .job = s.job,
           .what = "not nominated",
           .why = std::move(why),
           .ink = s.problem.empty() ? Ink::kPlain : Ink::kWaiting});
    }
  }

  static std::string cycles(const Row& r) {
    return r.first == r.last ? std::to_string(r.first) : fmt::format("{} to {}", r.first, r.last);
  }

  const Cluster& cluster_;
  const JobNames names_;
  int cycle_ = 0;
  std::vector<Row> rows_;
  std::map<std::tuple<JobId, std::string, std::string>, std::size_t> places_;
};

}  // namespace

std::string requeue_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style) {
  Rows rows(cluster);
  bool is_dry_run = false;
  for (const Round& round : rounds) {
    if (!round.decisions.requeue) continue;
    rows.add(round);
    is_dry_run |= round.decisions.requeue->is_dry_run;
  }
  const Table table = rows.table();
  if (table.empty()) return "";
  return style.heading(is_dry_run ? "Requeue, as a dry run that evicts nobody" : "Requeue") +
         table.text(style.table());
}

}  // namespace muster::cli
