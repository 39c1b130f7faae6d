// The parts of the text output. Each part has its own file. A part begins with its heading or is empty.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "report/selection.hpp"
#include "sim/rounds.hpp"
#include "terminal/table.hpp"
#include "terminal/text_style.hpp"

namespace muster::report {

// Names of jobs, with the namespace only if the cluster has jobs in more than one.
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

// The decisions: a heading per cycle and a line per job that was affected. Consecutive cycles without
// decisions share a heading.
class RoundsText {
 public:
  RoundsText(const Cluster& cluster, const TextStyle& style)
      : cluster_(cluster), style_(style), names_(cluster) {}
  void add(const Round& round);
  Text text() const { return text_ + quiet_text(); }

 private:
  struct CycleTime {
    int cycle = 0;  // 0: none
    TimePoint now{};
  };
  Text quiet_text() const;
  Text decisions_text(const Round& round) const;

  const Cluster& cluster_;
  const TextStyle style_;
  const JobNames names_;
  Text text_;
  CycleTime quiet_from_, quiet_to_;  // the latest cycles without decisions
};

// The jobs that opted in to requeue and what happened to them; empty if no job opted in. Equal rows of
// consecutive cycles are combined.
class RequeueText {
 public:
  explicit RequeueText(const Cluster& cluster) : cluster_(cluster), names_(cluster) {}
  void add(const Round& round);
  Text text(const TextStyle& style) const;

 private:
  // In the order in which they are shown.
  enum class Fate : unsigned char { kRequeued, kNoRoom, kNominated, kProtected, kWarned, kNotNominated };
  struct Row {
    Fate fate;
    JobId job = {};  // invalid if the row is about a queue
    std::string what, why;
    Color ink = Color::kPlain;
    int first = 0, last = 0;  // range of cycles
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

// An additional column of the queue table, with a cell for each share of the round.
struct QueueCells {
  Column column;
  std::vector<std::string> cells;
};
// The queues as an indented tree. Fair share and requests are as the last cycle computed them; use is
// current. CPU and memory are shown only if a queue has a bound on them or the style is wide. Columns without
// information are left out.
Text queues_text(const Cluster& cluster, const Round& last, const TextStyle& style,
                 const std::vector<QueueCells>& more = {});

// Each node with its GPUs, its free GPUs and its pods. If there are many nodes, equal nodes share a row.
Text nodes_text(const Cluster& cluster, const Decisions& last, const TextStyle& style);

// Each selected job with its queue, its pods, their nodes, and the reason if it is pending. If there are many
// jobs, a table counts them by queue and state first, and pending jobs are listed before others.
Text jobs_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
               const JobFilter& filter, const TextStyle& style);

// The pending jobs and their reasons. Jobs with the same reason share a paragraph.
Text waiting_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
                  const TextStyle& style);

}  // namespace muster::report
