// A simulated cluster in which time passes: pods arrive, run, finish, fail and are recreated; nodes join and
// leave. docs/time.md.
//
// It changes the model by deltas, as the watch of an API server would, and carries out the decisions of
// cycles. The caller runs the cycles: it asks for the time of the next event, advances to it, and asks
// whether a cycle would see anything new. The cost of an event depends on what it touches, not on the size of
// the cluster.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "sim/agenda.hpp"
#include "sim/event_queue.hpp"
#include "sim/job_run.hpp"
#include "sim/meters.hpp"
#include "sim/run_outcome.hpp"

namespace muster {

struct TimedOptions {
  TimePoint from{};
  std::optional<TimePoint> end;  // none: until no events are left
  std::uint64_t seed = 0;
  Duration start_delay{}, eviction_delay{};
  std::optional<Duration> node_mtbf;
  Duration node_mttr = std::chrono::hours(1);
  std::optional<Duration> series_step;
};

// One line of a record: docs/time.md 5.
struct Occurrence {
  TimePoint at{};
  std::string_view kind;  // submit, bind, start, evict, finish, fail, node
  std::string job, pod, node, action, preemptor;
};
using OnOccurrence = std::function<void(const Occurrence&)>;

class Controllers;

class TimedCluster {
 public:
  // Takes over a cluster as the files describe it; the agenda has the work of its pods.
  TimedCluster(Cluster& cluster, Agenda agenda, const TimedOptions& options, OnOccurrence on_occurrence = {});
  ~TimedCluster();

  // Sets the controllers that create pods over time; null: none. REQUIRES: no time has passed.
  void set_controllers(Controllers* controllers);

  // Jobs that wait for a node and whose reason is recorded.
  const IdSet<JobId>& known_to_wait() const { return known_to_wait_; }

  // The time of the next planned event, or nothing if there is none. Ignores random failures of nodes.
  std::optional<TimePoint> next() const;
  // When the next node fails at random, or nothing.
  std::optional<TimePoint> next_failure() const;
  // Processes everything that happens up to `now`.
  void advance(TimePoint now);
  // True if something that a cycle could see happened since the last decisions were carried out.
  bool has_news() const { return has_news_; }
  // How often something has happened.
  std::uint64_t happenings() const { return happenings_; }
  void carry_out(const Decisions& decisions, TimePoint now);

  std::size_t jobs_ended() const { return ended_.size(); }
  // Ends the run. REQUIRES: nothing happened after `end`.
  RunOutcome finish(TimePoint end);

  // ---- for controllers
  void apply(Object&& object);
  void remove(std::string_view kind, const std::string& ns, const std::string& name);
  void call_controller(TimePoint at, std::uint32_t which) { events_.plan(at, EventKind::kController, which); }
  Cluster& cluster() { return cluster_; }
  TimePoint now() const { return now_; }

 private:
  struct Entry;
  struct PodRef {
    Entry* entry = nullptr;
    JobRun::Pod pod = 0;
  };
  // The facts about a pod, except its run.
  struct PodFacts {
    TaskId task;
    Work work;
    std::string uid;            // of its first incarnation
    std::uint32_t made = 1;     // how often it was created
    std::uint64_t version = 0;  // of its place; events planned for an earlier version are dropped
    std::string ns, name;
    NodeId node;
  };
  struct Entry {
    explicit Entry(TimePoint submitted) : run(submitted) {}
    JobId job;  // not valid: a pod without a job
    QueueId queue;
    JobRun run;
    Work work;
    std::vector<PodFacts> pods;
    JobOutcome outcome;
    std::uint32_t slot = 0;
    std::uint64_t version = 0;
    bool is_touched = false, is_counted_waiting = false;
    std::int64_t want = 0, pending = 0;
    GpuTime lost_reported = 0;
    std::int64_t failures = 0;
    std::optional<std::uint8_t> wait_rule;
  };

  // ---- start of the run
  void take_over();
  void drop_what_ended_before();
  void take_over_nodes();
  void begin_with_status(Entry& entry, JobRun::Pod pod, TaskStatus status);
  // ---- jobs and pods
  Entry& entry_of(JobId job);
  Entry& entry_of_lone(TaskId task);
  Entry& new_entry(TimePoint submitted);
  void drop(Entry& entry);
  void add_pod(Entry& entry, TaskId task, const Work& work);
  void plan_work(Entry& entry, const PodFacts& facts, JobRun::Pod pod) const;
  void note_news() { has_news_ = true, ++happenings_; }
  void touch(Entry& entry);
  void settle_touched();
  void settle(Entry& entry);
  void end_what_is_due(Entry& entry);
  void finish(Entry& entry, JobRun::Pod pod);
  void end(Entry& entry, bool has_failed);
  void forget(Entry& entry);
  void note_end(Entry& entry);
  bool is_at_minimum(const Entry& entry) const;
  void measure(Entry& entry);
  std::int64_t missing_gpus(const Entry& entry) const;
  // ---- places
  void hold(Entry& entry, JobRun::Pod pod, NodeId node);
  void release(Entry& entry, JobRun::Pod pod);
  void bind(const BindDecision& decision);
  void start(Entry& entry, JobRun::Pod pod);  // after its delay
  void begin(Entry& entry, JobRun::Pod pod);
  void evict(TaskId task, const std::string& action, const EvictDecision* receipt, bool at_once = false);
  void recreate(Entry& entry, JobRun::Pod pod);
  bool fail(Entry& entry, JobRun::Pod pod);  // false: the job gave up and is gone
  void end_terminating();
  // ---- objects
  void apply_pod(PodObject&& pod);
  void apply_group(PodGroupObject&& group);
  void move_to_queue(Entry& entry, QueueId to);
  void remove_pod(TaskId task);
  void leave(Entry& entry, JobRun::Pod pod);
  void remove_job(Entry& entry);
  // ---- events
  void happen(const Event& event);
  bool is_void(const Event& event) const;
  void drop_void();
  void arrive();
  std::optional<TimePoint> next_arrival() const;
  void do_step(Step& step);
  // ---- nodes
  void act_on(const std::string& node, Step::NodeAct act);
  void add_clock(const std::string& node);
  void set_node(const NodeObject& node);
  void evict_all_from(NodeId node, const std::string& action);
  void plan_failure(std::uint32_t which);
  void fail_at_random(std::uint32_t which);
  void come_back(std::uint32_t which);
  void follow(const std::string& node);
  bool is_up(const std::string& node) const;
  void count_capacity();
  // ---- reports
  void report(std::string_view kind, const Entry& entry, JobRun::Pod pod, std::string action = {},
              std::string preemptor = {}) const;
  void report_submit(const Entry& entry) const;
  void report_node(const std::string& node, std::string_view action) const;
  std::string node_name(const Entry& entry, JobRun::Pod pod) const;
  void note_eviction(Entry& entry, JobRun::Pod pod, const std::string& action, const EvictDecision* receipt);
  void note_waiting(const Decisions& decisions);
  void end_wait(Entry& entry);
  void note_shares(const Decisions& decisions);

  Cluster& cluster_;
  Agenda agenda_;
  const TimedOptions options_;
  const OnOccurrence on_occurrence_;
  Controllers* controllers_ = nullptr;
  EventQueue events_, failures_;
  Meters meters_;
  TimePoint now_;
  bool has_news_ = true, is_first_cycle_over_ = false;
  std::uint64_t happenings_ = 0;
  bool has_more_news_ = false;  // beyond the last decisions: since they were carried out, or because of them

  std::vector<std::unique_ptr<Entry>> entries_;  // by slot
  std::vector<std::uint32_t> free_slots_;
  absl::flat_hash_map<JobId, Entry*> by_job_;
  absl::flat_hash_map<TaskId, PodRef> by_task_;
  IdSet<JobId> known_to_wait_;
  std::vector<Entry*> touched_;
  std::vector<JobOutcome> ended_;
  std::vector<EvictionNote> notes_;
  std::int64_t eviction_count_ = 0;
  std::optional<TimePoint> last_finish_;
  std::size_t next_later_ = 0;
  struct NodeClock {
    std::string name;
    std::uint64_t failures = 0;
    bool is_down = false;     // failed at random; is repaired automatically
    bool is_stopped = false;  // no failure is planned until the node is up
  };
  std::vector<NodeClock> node_clocks_;
  absl::flat_hash_map<std::string, std::uint32_t> clock_of_;  // by node
  std::uint64_t last_version_ = 0;
};

}  // namespace muster
