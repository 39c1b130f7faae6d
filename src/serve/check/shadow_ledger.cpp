// Follows each pod from muster's decision to the decision of the other scheduler.
#include "serve/check/shadow_ledger.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/json_text.hpp"
#include "model/cluster.hpp"
#include "model/decisions.hpp"
#include "model/reason_text.hpp"

namespace muster::serve {
namespace {

// The other scheduler may run rarely and bind pods one by one.
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::size_t kMostJobs = 10'000;

std::string why_of(const Cluster& cluster, const WaitingJob& waiting) {
  std::string text;
  for (const JobReason& reason : waiting.reasons)
    text.append(text.empty() ? "" : "; ").append(text_of(cluster, reason));
  return text;
}

}  // namespace

double ShadowLedger::Counts::agreement_percent() const {
  const std::int64_t all = agreed + differs + left_waiting;
  return all == 0 ? 100 : 100 * static_cast<double>(agreed) / static_cast<double>(all);
}

void ShadowLedger::decided(const Cluster& cluster, const Decisions& decisions, TimePoint now) {
  ++cycles_;
  waits_.clear();
  for (const WaitingJob& waiting : decisions.waiting)
    waits_[cluster.job(waiting.job).full_name()] = why_of(cluster, waiting);
  for (const BindDecision& bind : decisions.binds) {
    const Task& task = cluster.task(bind.task);
    Opinion& opinion = would_place_.try_emplace(task.uid, Opinion{task.ns, task.name, "", now}).first->second;
    opinion.node = cluster.node(bind.node).name;
  }
  would_evict_ = decisions.evictions.size();
  look_at_those_left(cluster, now);
  publish(now);
}

void ShadowLedger::look_at_those_left(const Cluster& cluster, TimePoint now) {
  absl::erase_if(would_place_, [&](auto& entry) {
    auto& [uid, opinion] = entry;
    const TaskId task = cluster.find_task(opinion.ns, opinion.name);
    const bool still_waits = task.valid() && cluster.task(task).uid == uid &&
                             cluster.placement(task).status == TaskStatus::kPending &&
                             cluster.task(task).job.valid();
    if (!still_waits) return true;
    if (opinion.is_counted || now < opinion.since + kPatience) return false;
    opinion.is_counted = true;
    ++counts_.left_waiting;
    note(cluster.job(cluster.task(task).job).full_name(),
         {.pod = opinion.name,
          .other = "left it pending",
          .muster = fmt::format("would place it on {}", opinion.node),
          .at = now});
    return false;
  });
}

void ShadowLedger::placed_by_other(const Cluster& cluster, const Placed& pod, TimePoint now) {
  const auto opinion = would_place_.find(pod.uid);
  const TaskId task = cluster.find_task(pod.ns, pod.name);
  const std::string job =
      task.valid() && cluster.task(task).job.valid() ? cluster.job(cluster.task(task).job).full_name() : "";
  if (opinion != would_place_.end()) {
    if (!opinion->second.is_counted) {
      ++counts_.agreed;
      counts_.same_node += opinion->second.node == pod.node;
    }
    would_place_.erase(opinion);
  } else if (const auto waits = waits_.find(job); waits != waits_.end()) {
    ++counts_.differs;
    note(job, {.pod = pod.name,
               .other = fmt::format("placed it on {}", pod.node),
               .muster = "would leave it pending: " + waits->second,
               .at = now});
  } else {
    ++counts_.unseen;
  }
  publish(now);
}

void ShadowLedger::note(const std::string& job, Difference difference) {
  if (first_.contains(job) || first_.size() >= kMostJobs) return;
  difference.job = job;
  news_.push_back(difference);
  first_[job] = std::move(difference);
}

void ShadowLedger::publish(TimePoint now) {
  nlohmann::json jobs = nlohmann::json::array();
  for (const auto& [job, difference] : first_)
    jobs.push_back({{"job", job},
                    {"pod", difference.pod},
                    {"at", format_time(difference.at)},
                    {"other", difference.other},
                    {"muster", difference.muster}});
  const nlohmann::json report = {{"now", format_time(now)},
                                 {"cycles", cycles_},
                                 {"agreementPercent", counts_.agreement_percent()},
                                 {"pods",
                                  {{"agreed", counts_.agreed},
                                   {"onTheSameNode", counts_.same_node},
                                   {"differ", counts_.differs},
                                   {"leftWaiting", counts_.left_waiting},
                                   {"unseen", counts_.unseen}}},
                                 {"wouldPlaceNow", would_place_.size()},
                                 {"wouldEvictNow", would_evict_},
                                 {"firstDifferences", std::move(jobs)}};
  const std::lock_guard lock(mutex_);
  text_ = kube::json_text(report, 2) + "\n";
}

std::string ShadowLedger::text() const {
  const std::lock_guard lock(mutex_);
  return text_;
}

}  // namespace muster::serve
