// Pods get places and lose them: by the decisions of cycles, and by the reactions of kubelets and owners.
#include <absl/container/flat_hash_set.h>

#include <algorithm>

#include "model/reason_text.hpp"
#include "sim/controllers.hpp"
#include "sim/embedded_cluster.hpp"
#include "sim/timed_cluster.hpp"

namespace muster {
namespace {

constexpr auto kGpus = index(Accounted::kGpus);

}  // namespace

// ---------------------------------------------------------------- decisions

void TimedCluster::carry_out(const Decisions& decisions, TimePoint now) {
  now_ = std::max(now_, now);
  meters_.advance(now_);
  has_more_news_ = false;
  absl::flat_hash_set<TaskId> evicted;
  for (const EvictDecision& e : decisions.evictions) evicted.insert(e.task);
  note_waiting(decisions);
  for (const BindDecision& b : decisions.binds)
    if (!evicted.contains(b.task)) bind(b);
  if (!std::exchange(is_first_cycle_over_, true)) end_terminating();
  std::vector<JobId> requeued;
  for (const EvictDecision& e : decisions.evictions) {
    if (e.action == "requeue") requeued.push_back(cluster_.task(e.task).job);
    evict(e.task, e.action, &e);
  }
  std::ranges::sort(requeued);
  requeued.erase(std::unique(requeued.begin(), requeued.end()), requeued.end());
  for (JobId job : requeued)
    if (const auto entry = by_job_.find(job); entry != by_job_.end()) {
      ++entry->second->outcome.requeues;
      meters_.count_requeue(entry->second->queue);
    }
  settle_touched();
  drop_void();
  note_shares(decisions);
  has_news_ = has_more_news_;
}

void TimedCluster::note_shares(const Decisions& decisions) {
  for (const QueueShare& share : decisions.shares)
    meters_.set_fair_share(share.queue, share.fair_share[kGpus]);
}

// For jobs that lack pods, records the first reason, and again whenever it changes.
void TimedCluster::note_waiting(const Decisions& decisions) {
  for (const WaitingJob& w : decisions.waiting) {
    const auto found = by_job_.find(w.job);
    if (found == by_job_.end() || w.reasons.empty() || found->second->run.is_at_minimum()) continue;
    Entry& entry = *found->second;
    const auto rule = static_cast<std::uint8_t>(w.reasons.front().rule);
    if (entry.wait_rule == rule) continue;
    end_wait(entry);
    entry.wait_rule = rule;
    known_to_wait_.set(w.job, w.reasons.front().rule == JobRule::kNoNode);
    entry.outcome.waits.push_back({.from = now_, .to = now_, .reason = text_of(cluster_, w.reasons.front())});
  }
}

void TimedCluster::end_wait(Entry& entry) {
  if (entry.wait_rule) entry.outcome.waits.back().to = now_;
  entry.wait_rule.reset();
  if (entry.job.valid()) known_to_wait_.erase(entry.job);
}

// ---------------------------------------------------------------- places

void TimedCluster::hold(Entry& entry, JobRun::Pod pod, NodeId node) {
  PodFacts& facts = entry.pods[pod];
  JobRun::Plan plan = entry.run.plan(pod);
  plan.gpus = cluster_.accepted(cluster_.shape_of(facts.task), node).units[kGpus];
  entry.run.set_plan(pod, plan);
  facts.node = node;
  meters_.hold(entry.queue, plan.gpus);
  entry.run.take_place(pod);
}

void TimedCluster::release(Entry& entry, JobRun::Pod pod) {
  meters_.hold(entry.queue, -entry.run.plan(pod).gpus);
  entry.pods[pod].node = NodeId();
  entry.pods[pod].version = ++last_version_;
}

void TimedCluster::bind(const BindDecision& decision) {
  const auto found = by_task_.find(decision.task);
  if (found == by_task_.end()) return;
  auto [entry, pod] = found->second;
  touch(*entry);
  cluster_.reserve_claims(decision.task, decision.holding);
  hold(*entry, pod, decision.node);
  report("bind", *entry, pod);
  if (options_.start_delay <= Duration::zero()) {
    cluster_.observe(decision.task,
                     {.phase = PodPhase::kRunning, .node = decision.node, .holding = decision.holding});
    return begin(*entry, pod);
  }
  cluster_.observe(decision.task,
                   {.phase = PodPhase::kPending, .node = decision.node, .holding = decision.holding});
  PodFacts& facts = entry->pods[pod];
  facts.version = ++last_version_;
  events_.plan(now_ + options_.start_delay, EventKind::kPodStarts, entry->slot, facts.version, pod);
}

void TimedCluster::start(Entry& entry, JobRun::Pod pod) {
  touch(entry);
  PodFacts& facts = entry.pods[pod];
  Observed seen = cluster_.task(facts.task).observed;
  const Placement& at = cluster_.placement(facts.task);
  seen.phase = PodPhase::kRunning;
  seen.node = at.node;
  seen.holding = at.holding;
  cluster_.observe(facts.task, seen);
  begin(entry, pod);
}

void TimedCluster::begin(Entry& entry, JobRun::Pod pod) {
  report("start", entry, pod);
  entry.run.start(pod);
  const std::string ns = entry.pods[pod].ns, name = entry.pods[pod].name;
  if (controllers_ != nullptr && entry.job.valid()) controllers_->pod_started(*this, ns, name);
}

void TimedCluster::evict(TaskId task, const std::string& action, const EvictDecision* receipt, bool at_once) {
  const auto found = by_task_.find(task);
  if (found == by_task_.end()) return;
  auto [entry, pod] = found->second;
  touch(*entry);
  PodFacts& facts = entry->pods[pod];
  if (entry->run.is_terminating(pod)) return at_once ? recreate(*entry, pod) : void();
  note_eviction(*entry, pod, action, receipt);
  if (!entry->run.has_place(pod))
    return recreate(*entry, pod);  // bound and evicted in one cycle: it never ran
  entry->run.stop(pod);
  const bool stays = stays_terminating(cluster_, cluster_.task(task)) && !at_once;
  if (!stays && (at_once || options_.eviction_delay <= Duration::zero())) return recreate(*entry, pod);
  Observed seen = cluster_.task(task).observed;
  seen.deletion = now_;
  cluster_.observe(task, seen);
  facts.version = ++last_version_;
  if (!stays)
    events_.plan(now_ + options_.eviction_delay, EventKind::kPodIsGone, entry->slot, facts.version, pod);
}

void TimedCluster::note_eviction(Entry& entry, JobRun::Pod pod, const std::string& action,
                                 const EvictDecision* receipt) {
  const std::string preemptor = receipt != nullptr && receipt->preemptor.valid()
                                    ? cluster_.job(receipt->preemptor).full_name()
                                    : std::string();
  report("evict", entry, pod, action, preemptor);
  if (!entry.job.valid()) return;
  ++entry.outcome.evictions;
  ++eviction_count_;
  meters_.count_eviction(entry.queue, action);
  if (notes_.size() >= kMostEvictionNotes) return;
  notes_.push_back({.at = now_,
                    .pod = entry.pods[pod].ns + "/" + entry.pods[pod].name,
                    .job = entry.outcome.name,
                    .queue = entry.outcome.queue,
                    .action = action,
                    .preemptor = preemptor,
                    .rule = receipt != nullptr ? receipt->rule : std::string(),
                    .node = node_name(entry, pod)});
}

// The owner recreates the pod as pending, with a new uid and the same name. A pod without a job is gone for
// good.
void TimedCluster::recreate(Entry& entry, JobRun::Pod pod) {
  PodFacts& facts = entry.pods[pod];
  has_more_news_ = true;
  if (entry.run.has_place(pod)) release(entry, pod);
  entry.run.leave_place(pod);
  cluster_.release_claims(facts.task);
  if (!entry.job.valid()) return remove(PodObject::kKind, facts.ns, facts.name);
  ++facts.made;
  cluster_.recreate(facts.task, facts.uid + "/" + std::to_string(facts.made));
}

bool TimedCluster::fail(Entry& entry, JobRun::Pod pod) {
  const bool is_of_job = entry.job.valid();
  report("fail", entry, pod);
  entry.run.stop(pod, true);
  recreate(entry, pod);
  if (!is_of_job) return false;
  ++entry.failures;
  const bool is_over = controllers_ != nullptr && controllers_->gives_up(entry.outcome.name, entry.failures);
  if (is_over) end(entry, true);
  return !is_over;
}

// Ends the pods that were terminating when the run began.
void TimedCluster::end_terminating() {
  for (TaskId t : ids(cluster_.tasks())) {
    const Task& task = cluster_.task(t);
    const auto found = by_task_.find(t);
    if (!task.alive || !task.observed.deletion || found == by_task_.end() ||
        cluster_.placement(t).status != TaskStatus::kReleasing || stays_terminating(cluster_, task))
      continue;
    auto [entry, pod] = found->second;
    entry->pods[pod].version = ++last_version_;
    events_.plan(now_ + options_.eviction_delay, EventKind::kPodIsGone, entry->slot, entry->pods[pod].version,
                 pod);
  }
}

// ---------------------------------------------------------------- reports

std::string TimedCluster::node_name(const Entry& entry, JobRun::Pod pod) const {
  const NodeId node = entry.pods[pod].node;
  return node.valid() ? cluster_.node(node).name : std::string();
}

void TimedCluster::report(std::string_view kind, const Entry& entry, JobRun::Pod pod, std::string action,
                          std::string preemptor) const {
  if (!on_occurrence_) return;
  on_occurrence_({.at = now_,
                  .kind = kind,
                  .job = entry.outcome.name,
                  .pod = entry.pods[pod].ns + "/" + entry.pods[pod].name,
                  .node = node_name(entry, pod),
                  .action = std::move(action),
                  .preemptor = std::move(preemptor)});
}

void TimedCluster::report_submit(const Entry& entry) const {
  if (on_occurrence_)
    on_occurrence_({.at = now_,
                    .kind = "submit",
                    .job = entry.outcome.name,
                    .pod = {},
                    .node = {},
                    .action = {},
                    .preemptor = {}});
}

void TimedCluster::report_node(const std::string& node, std::string_view action) const {
  if (on_occurrence_)
    on_occurrence_({.at = now_,
                    .kind = "node",
                    .job = {},
                    .pod = {},
                    .node = node,
                    .action = std::string(action),
                    .preemptor = {}});
}

}  // namespace muster
