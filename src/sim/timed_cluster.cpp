// Processes arrivals, events and steps in the order of time.
#include "sim/timed_cluster.hpp"

#include <algorithm>

#include "sim/controllers.hpp"

namespace muster {

TimedCluster::TimedCluster(Cluster& cluster, Agenda agenda, const TimedOptions& options,
                           OnOccurrence on_occurrence)
    : cluster_(cluster),
      agenda_(std::move(agenda)),
      options_(options),
      on_occurrence_(std::move(on_occurrence)),
      meters_(options.from, options.end, options.series_step),
      now_(options.from) {
  std::ranges::stable_sort(agenda_.later, {}, &Agenda::Later::at);
  std::ranges::stable_sort(agenda_.steps, {}, &Step::at);
  for (std::size_t i = 0; i < agenda_.steps.size(); ++i)
    events_.plan(std::max(agenda_.steps[i].at, options_.from), EventKind::kStep,
                 static_cast<std::uint32_t>(i));
  cluster_.refresh(now_);
  take_over();
  take_over_nodes();
}

TimedCluster::~TimedCluster() = default;

void TimedCluster::set_controllers(Controllers* controllers) {
  controllers_ = controllers;
  if (controllers_ != nullptr) controllers_->begin(*this);
}

// ---------------------------------------------------------------- next event

std::optional<TimePoint> TimedCluster::next_arrival() const {
  std::optional<TimePoint> first;
  const auto take_earlier = [&](TimePoint at) {
    if (!first || at < *first) first = at;
  };
  if (next_later_ < agenda_.later.size()) take_earlier(agenda_.later[next_later_].at);
  for (const auto& source : agenda_.arrivals)
    if (const auto at = source->next()) take_earlier(*at);
  return first ? std::optional(std::max(*first, now_)) : std::nullopt;
}

std::optional<TimePoint> TimedCluster::next() const {
  std::optional<TimePoint> first = next_arrival();
  if (!events_.empty() && (!first || events_.first().at < *first)) first = events_.first().at;
  return first;
}

std::optional<TimePoint> TimedCluster::next_failure() const {
  return failures_.empty() ? std::nullopt : std::optional(failures_.first().at);
}

// ---------------------------------------------------------------- events

void TimedCluster::advance(TimePoint now) {
  while (true) {
    std::optional<TimePoint> at = next();
    if (const auto failure = next_failure(); failure && (!at || *failure < *at)) at = failure;
    if (!at || *at > now) break;
    now_ = std::max(now_, *at);
    meters_.advance(now_);
    while (!events_.empty() && events_.first().at <= now_) {
      const Event event = events_.take();
      if (!is_void(event)) happen(event);
    }
    while (!failures_.empty() && failures_.first().at <= now_) happen(failures_.take());
    arrive();
    settle_touched();
    drop_void();
  }
  now_ = std::max(now_, now);
  meters_.advance(now_);
}

bool TimedCluster::is_void(const Event& event) const {
  if (event.kind > EventKind::kJobChanges) return false;
  const Entry* entry = event.subject < entries_.size() ? entries_[event.subject].get() : nullptr;
  if (entry == nullptr) return true;
  if (event.kind == EventKind::kJobChanges) return entry->version != event.version;
  return event.pod >= entry->pods.size() || entry->pods[event.pod].version != event.version;
}

void TimedCluster::drop_void() {
  while (!events_.empty() && is_void(events_.first())) events_.drop();
}

void TimedCluster::happen(const Event& event) {
  switch (event.kind) {
    case EventKind::kPodStarts:
      start(*entries_[event.subject], event.pod);
      break;
    case EventKind::kPodIsGone: {
      Entry& entry = *entries_[event.subject];
      touch(entry);
      recreate(entry, event.pod);
      break;
    }
    case EventKind::kJobChanges:
      end_what_is_due(*entries_[event.subject]);
      break;
    case EventKind::kNodeIsBack:
      come_back(event.subject);
      break;
    case EventKind::kNodeFails:
      fail_at_random(event.subject);
      break;
    case EventKind::kStep:
      do_step(agenda_.steps[event.subject]);
      break;
    case EventKind::kController:
      if (controllers_ != nullptr) controllers_->is_time(*this, event.subject);
      break;
  }
}

void TimedCluster::arrive() {
  for (; next_later_ < agenda_.later.size() && agenda_.later[next_later_].at <= now_; ++next_later_)
    apply(std::move(agenda_.later[next_later_].object));
  for (const auto& source : agenda_.arrivals)
    while (source->next() && *source->next() <= now_)
      for (Object& object : source->take()) apply(std::move(object));
}

void TimedCluster::do_step(Step& step) {
  for (Object& object : step.apply) apply(std::move(object));
  if (controllers_ != nullptr)
    for (const std::string& workload : step.apply_workloads) controllers_->apply(*this, workload);
  if (!step.delete_kind.empty() &&
      (controllers_ == nullptr ||
       !controllers_->remove(*this, step.delete_kind, step.delete_ns, step.delete_name)))
    remove(step.delete_kind, step.delete_ns, step.delete_name);
  if (step.act != Step::NodeAct::kNone) act_on(step.node, step.act);
  if (step.act == Step::NodeAct::kFail || step.act == Step::NodeAct::kRepair) follow(step.node);
  if (!step.scale_name.empty() && controllers_ != nullptr)
    controllers_->scale(*this, step.scale_kind, step.scale_ns, step.scale_name, step.replicas);
}

// ---------------------------------------------------------------- the end

RunOutcome TimedCluster::finish(TimePoint end) {
  RunOutcome outcome{.from = options_.from, .to = end, .seed = options_.seed};
  now_ = end;
  for (const auto& entry : entries_) {
    if (entry == nullptr) continue;
    entry->run.advance(end);
    note_end(*entry);
  }
  meters_.finish(end, cluster_, outcome);
  outcome.last_finish = last_finish_;
  outcome.jobs = std::move(ended_);
  std::ranges::sort(outcome.jobs, {},
                    [](const JobOutcome& j) { return std::pair(j.submitted, std::string_view(j.name)); });
  outcome.evictions = std::move(notes_);
  outcome.eviction_count = eviction_count_;
  return outcome;
}

}  // namespace muster
