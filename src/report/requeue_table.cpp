// The jobs that opted in to requeue, what happened to them and why. Equal rows of consecutive cycles are
// combined.
#include <fmt/format.h>

#include <algorithm>

#include "report/text_parts.hpp"
#include "util/names.hpp"

namespace muster::report {

void RequeueText::add(const Round& round) {
  if (!round.decisions.requeue) return;
  cycle_ = round.cycle;
  const RequeueRecord& record = *round.decisions.requeue;
  is_dry_run_ |= record.is_dry_run;
  for (const RequeueAttempt& attempt : record.attempts) add(attempt, record.is_dry_run);
  for (const Nomination& n : record.nominated)
    add({.fate = Fate::kNominated,
         .job = n.job,
         .what = "nominated",
         .why = fmt::format("overdue since {}, reported by {}", format_time(round.now - n.overrun),
                            n.all_names())});
  for (const PassedOver& p : record.passed_over)
    add({.fate = Fate::kProtected, .job = p.job, .what = "protected", .why = p.reason});
  for (const QueueWarning& w : record.queue_warnings)
    add({.fate = Fate::kWarned,
         .what = "warning",
         .why = fmt::format("queue {}: {}", cluster_.queue(w.queue).name, w.problem),
         .ink = Color::kWaiting});
  for (const RequeueWarning& w : record.warnings)
    add({.fate = Fate::kWarned, .job = w.job, .what = "warning", .why = w.problem, .ink = Color::kWaiting});
  add_skips(record);
}

// A row that continues unchanged from the previous cycle is extended.
void RequeueText::add(Row row) {
  const auto [place, is_new] = places_.try_emplace({row.job, row.what, row.why}, rows_.size());
  const bool continues = !is_new && rows_[place->second].last >= cycle_ - 1;
  if (continues) {
    rows_[place->second].last = cycle_;
    return;
  }
  place->second = rows_.size();
  row.first = row.last = cycle_;
  rows_.push_back(std::move(row));
}

void RequeueText::add(const RequeueAttempt& attempt, bool is_dry_run) {
  if (!attempt.found_room)
    add({.fate = Fate::kNoRoom,
         .job = attempt.preemptor,
         .what = "no room",
         .why = "evicting the overdue jobs that it outranks does not free enough"});
  for (const RequeueAttempt::Victim& v : attempt.victims)
    add({.fate = Fate::kRequeued,
         .job = v.job,
         .what = is_dry_run ? "would be requeued" : "requeued",
         .why = fmt::format("{} for {}; not nominated again before {}", counted(v.tasks.size(), "pod"),
                            names_.of(attempt.preemptor), format_time(v.not_before)),
         .ink = is_dry_run ? Color::kWaiting : Color::kBad});
}

void RequeueText::add_skips(const RequeueRecord& record) {
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
         .ink = s.problem.empty() ? Color::kPlain : Color::kWaiting});
  }
}

std::string RequeueText::cycles(const Row& r) {
  const std::string first = grouped(static_cast<std::size_t>(r.first));
  return r.first == r.last ? first
                           : fmt::format("{} to {}", first, grouped(static_cast<std::size_t>(r.last)));
}

Text RequeueText::text(const TextStyle& style) const {
  if (rows_.empty()) return "";
  std::vector<Row> rows = rows_;
  std::ranges::stable_sort(rows, {}, &Row::fate);
  Table table({{"cycles"}, {"job"}, {"what"}, {"why"}});
  for (const Row& r : rows)
    table.add({cycles(r), r.job.valid() ? names_.of(r.job) : "", {r.what, r.ink}, r.why});
  return style.heading(is_dry_run_ ? "Requeue (dry run: no pods are evicted)" : "Requeue") +
         table.text(style.table());
}

}  // namespace muster::report
