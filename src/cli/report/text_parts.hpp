// The parts of the text output, each in a file of its own; a part begins with its heading or is empty.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cli/report/selection.hpp"
#include "cli/report/table.hpp"
#include "cli/report/text_style.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {

// Jobs by name, with their namespace only where there is more than one.
class JobNames {
 public:
  explicit JobNames(const Cluster& cluster);
  std::string of(JobId job) const {
    return has_namespaces_ ? cluster_.job(job).full_name() : cluster_.job(job).name;
  }

 private:
  const Cluster& cluster_;
  bool has_namespaces_ = false;
};

// What happened: a heading per cycle and a line per job that something happened to; cycles without are drawn
// together.
class RoundsText {
 public:
  RoundsText(const Cluster& cluster, const TextStyle& style)
      : cluster_(cluster), style_(style), names_(cluster) {}
  void add(const Round& round);
  Text text() const { return text_ + quiet_text(); }

 private:
  struct Instant {
    int cycle = 0;  // 0: none
    TimePoint now{};
  };
  Text quiet_text() const;
  Text loud_text(const Round& round) const;

  const Cluster& cluster_;
  const TextStyle style_;
  const JobNames names_;
  Text text_;
  Instant quiet_from_, quiet_to_;  // cycles in which nothing happened, up to now
};

// Who agreed to give way, and what came of it; empty where no job opted in. Equal cycles share a row.
class RequeueText {
 public:
  explicit RequeueText(const Cluster& cluster) : cluster_(cluster), names_(cluster) {}
  void add(const Round& round);
  Text text(const TextStyle& style) const;

 private:
  // What matters most stands first.
  enum class Fate : unsigned char { kRequeued, kNoRoom, kNominated, kSpared, kWarned, kNotNominated };
  struct Row {
    Fate fate;
    JobId job = {};  // not valid: it is about a queue
    std::string what, why;
    Ink ink = Ink::kPlain;
    int first = 0, last = 0;  // cycles
  };
  void add(Row row);
  void add(const RequeueAttempt& attempt, bool is_dry_run);
  void add_skips(const RequeueRecord& record);
  static std::string cycles(const Row& row);

  const Cluster& cluster_;
  const JobNames names_;
  int cycle_ = 0;
  bool is_dry_run_ = false;
  std::vector<Row> rows_;
  std::map<std::tuple<JobId, std::string, std::string>, std::size_t> places_;
};

// The queues as an indented tree. Fair share and what is wanted as the last cycle computed them; in use as it
// stands now. GPUs where some queue has a bound on them, holds or wants any; CPU and memory where some queue
// has a bound on them, or the style is wide. Columns that tell nothing are left out.
// A column that only some have: a cell for each of the shares of the round.
struct QueueCells {
  Column column;
  std::vector<std::string> cells;
};
Text queues_text(const Cluster& cluster, const Round& last, const TextStyle& style,
                 const std::vector<QueueCells>& more = {});

// Each node with its GPUs, what is free of them, and its pods; where there are many, those that are alike
// share a row.
Text nodes_text(const Cluster& cluster, const Decisions& last, const TextStyle& style);

// Each job of the selection with its queue, its pods, where they run and why not. Where there are many, first
// how many there are per queue and state, and who waits stands first.
Text jobs_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
               const JobFilter& filter, const TextStyle& style);

// Who waits and why: a paragraph per reason, which jobs that wait for the same one share.
Text waiting_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
                  const TextStyle& style);

}  // namespace muster::cli
