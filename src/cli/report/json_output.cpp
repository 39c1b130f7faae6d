// The report as JSON: one function per part, named after its field.
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/report/job_state.hpp"
#include "cli/report/names.hpp"
#include "cli/report/report.hpp"
#include "model/reason_text.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

ordered_json group_names(const Cluster& c, HoldingId holding) {
  ordered_json names = ordered_json::array();
  for (GroupId g : c.groups(holding)) names.push_back(c.group_name(g));
  return names;
}

// The devices of claims and the NUMA zones, where there are any.
void add_devices(const Cluster& c, HoldingId held, ordered_json& json) {
  const Holding& holding = c.holding(held);
  for (AllocationId a : holding.claims) {
    if (!a.valid()) continue;
    for (const AllocatedDevice& d : c.devices().allocation(a).object.devices)
      json["devices"].push_back(d.driver + "/" + d.pool + "/" + d.device);
  }
  for (std::size_t i = 0; i < holding.zones.size(); ++i)
    if (i == 0 || holding.zones[i].zone != holding.zones[i - 1].zone)
      json["numaZones"].push_back(holding.zones[i].zone);
}

ordered_json binds_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const BindDecision& b : d.binds) {
    list.push_back({{"pod", c.task(b.task).full_name()},
                    {"node", c.node(b.node).name},
                    {"gpuGroups", group_names(c, b.holding)}});
    add_devices(c, b.holding, list.back());
  }
  return list;
}

// Milli-cores, bytes and devices.
ordered_json shares_json(const Shares& shares) {
  return {{"cpu", shares[0]}, {"memory", shares[1]}, {"gpu", shares[2]}};
}

ordered_json stand_json(const Cluster& c, const QueueStand& stand) {
  return {{"name", c.queue(stand.queue).name},
          {"held", shares_json(stand.held)},
          {"fairShare", shares_json(stand.fair_share)},
          {"quota", shares_json(stand.quota)}};
}

ordered_json evictions_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const EvictDecision& e : d.evictions) {
    ordered_json item{{"pod", c.task(e.task).full_name()},
                      {"action", e.action},
                      {"reason", e.rule.empty() ? e.action : e.rule}};
    if (e.contender.valid()) item["for"] = c.job(e.contender).full_name();
    if (e.victim_queue.queue.valid()) item["queue"] = stand_json(c, e.victim_queue);
    if (e.contender_queue.queue.valid()) item["forQueue"] = stand_json(c, e.contender_queue);
    if (e.runtime_lost) item["runtimeLostSeconds"] = std::chrono::duration<double>(*e.runtime_lost).count();
    list.push_back(std::move(item));
  }
  return list;
}

ordered_json pipelined_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const PipelineDecision& p : d.pipelined) {
    list.push_back({{"pod", c.task(p.task).full_name()}, {"node", c.node(p.node).name}});
    add_devices(c, p.holding, list.back());
  }
  return list;
}

ordered_json patches_json(const Cluster& c, const Decisions& d) {
  ordered_json list = ordered_json::array();
  for (const PatchDecision& p : d.patches) {
    ordered_json annotations = ordered_json::object();
    for (const auto& [key, value] : p.annotations)
      annotations[key] = value ? ordered_json(*value) : ordered_json();
    list.push_back({{"podGroup", c.job(p.job).full_name()}, {"annotations", std::move(annotations)}});
  }
  return list;
}

ordered_json skips_json(const Cluster& c, const RequeueRecord& r) {
  ordered_json list = ordered_json::array();
  for (const NominationSkip& s : r.skipped) {
    list.push_back({{"job", c.job(s.job).full_name()}, {"by", s.by}, {"reason", s.reason}});
    if (!s.problem.empty()) list.back()["error"] = s.problem;
  }
  return list;
}

ordered_json would_evict_json(const Cluster& c, const RequeueRecord& r) {
  ordered_json list = ordered_json::array();
  for (const RequeueAttempt& attempt : r.attempts)
    for (const RequeueAttempt::Victim& victim : attempt.victims)
      for (TaskId task : victim.tasks)
        list.push_back({{"pod", c.task(task).full_name()},
                        {"for", c.job(attempt.contender).full_name()},
                        {"notBefore", format_time(victim.not_before)}});
  return list;
}

ordered_json requeue_json(const Cluster& c, const RequeueRecord& r) {
  ordered_json nominated = ordered_json::array(), warnings = ordered_json::array();
  for (const Nomination& n : r.nominated)
    nominated.push_back({{"job", c.job(n.job).full_name()}, {"by", n.by}});
  for (const RequeueWarning& w : r.warnings)
    warnings.push_back({{"job", c.job(w.job).full_name()}, {"message", w.problem}});
  ordered_json json{{"nominated", std::move(nominated)},
                    {"skipped", skips_json(c, r)},
                    {"commits", r.commits()},
                    {"rollbacks", r.rollbacks()}};
  if (!warnings.empty()) json["warnings"] = std::move(warnings);
  if (!r.is_dry_run) return json;
  json["dryRun"] = true;
  json["wouldEvict"] = would_evict_json(c, r);
  return json;
}

ordered_json timing_json(const Decisions& d) {
  ordered_json actions = ordered_json::object();
  std::int64_t scenarios = 0, nodes = 0;
  for (const ActionStats& a : d.actions) {
    actions[a.action] = a.milliseconds;
    scenarios += a.scenarios_simulated;
    nodes += a.nodes_tried;
  }
  return {{"openMs", d.open_milliseconds},
          {"actionsMs", std::move(actions)},
          {"scenariosSimulated", scenarios},
          {"nodesTried", nodes}};
}

ordered_json round_json(const Cluster& c, const Round& round, bool with_timing) {
  const Decisions& d = round.decisions;
  ordered_json json{{"cycle", round.cycle},
                    {"binds", binds_json(c, d)},
                    {"evictions", evictions_json(c, d)},
                    {"pipelined", pipelined_json(c, d)},
                    {"patches", patches_json(c, d)}};
  if (d.requeue) json["requeue"] = requeue_json(c, *d.requeue);
  if (with_timing) json["timing"] = timing_json(d);
  return json;
}

// The timing of all rounds together.
ordered_json total_timing(const std::vector<Round>& rounds, const Timing& timing) {
  ordered_json json{{"readMs", timing.read_ms}};
  json.update(timing_json(summed_stats(rounds)));
  json["cpuMs"] = timing.cpu_ms;
  json["peakRssMb"] = timing.peak_rss_mb;
  return json;
}

const char* phase_of(TaskStatus status) {
  if (status == TaskStatus::kReleasing || status == TaskStatus::kStuckInReleasing) return "Releasing";
  if (in(status, kAllocatedSet)) return "Running";
  if (status == TaskStatus::kSucceeded) return "Succeeded";
  if (status == TaskStatus::kFailed) return "Failed";
  return "Pending";
}

std::vector<TaskId> pods_by_name(const Cluster& c) {
  std::vector<TaskId> pods;
  for (TaskId t : ids(c.tasks()))
    if (c.task(t).alive) pods.push_back(t);
  return sorted_by_name(pods, [&](TaskId t) { return c.task(t).full_name(); });
}

ordered_json pods_json(const Cluster& c) {
  ordered_json list = ordered_json::array();
  for (TaskId t : pods_by_name(c)) {
    const Task& task = c.task(t);
    const Placement& at = c.placement(t);
    ordered_json pod{{"name", task.full_name()},
                     {"podGroup", task.job.valid() ? c.job(task.job).name : ""},
                     {"phase", phase_of(at.status)}};
    if (at.node.valid()) pod["node"] = c.node(at.node).name;
    if (!c.groups(at.holding).empty()) pod["gpuGroups"] = group_names(c, at.holding);
    list.push_back(std::move(pod));
  }
  return list;
}

// GPUs in devices, all else in its units.
ordered_json units_json(Kind kind, std::int64_t units) {
  if (kind != kGpu) return units;
  return static_cast<double>(units) / static_cast<double>(kOneGpu);
}

ordered_json refusals_json(const Cluster& c, const std::vector<RefusalCount>& nodes) {
  ordered_json list = ordered_json::array();
  for (const RefusalCount& r : nodes) {
    ordered_json item{{"nodes", r.nodes}, {"rule", code_of(r.refusal.rule)}};
    if (r.refusal.kind.valid()) item["resource"] = c.kinds().name(r.refusal.kind);
    if (!r.refusal.what.empty()) item["name"] = r.refusal.what;
    if (!r.refusal.who.empty()) item["by"] = r.refusal.who;
    if (r.refusal.wanted > 0) {
      const bool is_amount = r.refusal.rule == NodeRule::kResources || r.refusal.rule == NodeRule::kZones;
      const Kind kind = is_amount ? r.refusal.kind : Kind();
      item["requested"] = units_json(kind, r.refusal.wanted);
      item["available"] = units_json(kind, std::max<std::int64_t>(r.refusal.available, 0));
    }
    list.push_back(std::move(item));
  }
  return list;
}

// Who has what is short; without a queue: pods outside of all queues.
ordered_json holders_json(const Cluster& c, const Holders& holders) {
  ordered_json by = ordered_json::array();
  for (const Holders::Share& share : holders.most) {
    ordered_json item{{"amount", units_json(holders.kind, share.units)}};
    if (share.queue.valid())
      item["queue"] = c.queue(share.queue).name;
    else
      item["pods"] = holders.outsiders, item["podCount"] = holders.outsider_count;
    by.push_back(std::move(item));
  }
  return {{"resource", c.kinds().name(holders.kind)},
          {"total", units_json(holders.kind, holders.total)},
          {"free", units_json(holders.kind, holders.free)},
          {"heldBy", std::move(by)},
          {"heldByOthers", units_json(holders.kind, holders.others)}};
}

// Running jobs that rules keep from being evicted, and until when the first of them.
ordered_json spared_json(const Cluster& c, const std::vector<SparedJobs>& spared) {
  ordered_json list = ordered_json::array();
  for (const SparedJobs& s : spared) {
    ordered_json item{{"rule", s.rule}, {"jobs", s.jobs}, {"held", shares_json(s.held.shares())}};
    if (s.until) item["until"] = format_time(*s.until);
    if (s.first.valid()) item["first"] = c.job(s.first).full_name();
    list.push_back(std::move(item));
  }
  return list;
}

// How near the domains of a topology come, those with most room first.
ordered_json domains_json(const Cluster& c, const std::vector<DomainShortage>& domains) {
  ordered_json list = ordered_json::array();
  for (const DomainShortage& d : domains) {
    ordered_json item{{"domain", d.domain}};
    if (d.pods >= 0) item["podsFit"] = d.pods;
    const double unit = d.kind == kGpu ? static_cast<double>(kOneGpu) : 1;
    if (d.kind.valid())
      item.update({{"resource", c.kinds().name(d.kind)},
                   {"requested", static_cast<double>(d.wanted) / unit},
                   {"free", static_cast<double>(d.free) / unit}});
    list.push_back(std::move(item));
  }
  return list;
}

bool is_about_topology(JobRule rule) {
  return rule == JobRule::kTopologyMissing || rule == JobRule::kTopologyLevel || rule == JobRule::kTopology ||
         rule == JobRule::kTopologyTooSmall;
}

void add_topology_details(const Cluster& c, const JobReason& r, ordered_json& json) {
  if (!r.domain.empty()) json["domain"] = r.domain;
  if (!is_about_topology(r.rule)) {
    if (!r.domains.empty()) json["devices"] = domains_json(c, r.domains);
    return;
  }
  json["topology"] = r.name;
  if (!r.level.empty()) json["level"] = r.level;
  if (r.domain_count > 0) json["domainCount"] = r.domain_count;
  if (!r.domains.empty()) json["domains"] = domains_json(c, r.domains);
}

// Amounts in milli-cores, bytes and devices.
ordered_json details_json(const Cluster& c, const JobReason& r) {
  static constexpr std::array names{"cpu", "memory", "gpu"};
  ordered_json json = ordered_json::object();
  const bool is_capacity = r.rule == JobRule::kOverLimit || r.rule == JobRule::kOverQuota;
  if (r.queue.valid()) json["queue"] = c.queue(r.queue).name;
  if (is_capacity) json["resource"] = names[index(r.resource)];
  if (r.kind.valid()) json["resource"] = c.kinds().name(r.kind);
  const double unit = r.kind == kGpu && !is_capacity ? static_cast<double>(kOneGpu) : 1;
  if (is_capacity || r.kind.valid()) json["requested"] = r.wanted / unit;
  if (is_capacity) json["inUse"] = r.held;
  if (is_capacity || r.kind.valid()) json["bound"] = r.bound / unit;
  if (r.task.valid()) json["pod"] = c.task(r.task).full_name();
  if (!r.pod_set.empty()) json["subGroup"] = r.pod_set;
  if (r.needed > 0) json["podsPlaced"] = r.placed, json["podsNeeded"] = r.needed;
  if (r.until) json["until"] = format_time(*r.until);
  if (!r.nodes.empty()) json["nodes"] = refusals_json(c, r.nodes);
  if (r.holders.kind.valid()) json["holders"] = holders_json(c, r.holders);
  if (!r.spared.empty()) json["spared"] = spared_json(c, r.spared);
  add_topology_details(c, r, json);
  return json;
}

ordered_json reasons_json(const Cluster& c, const std::vector<JobReason>& reasons) {
  ordered_json list = ordered_json::array();
  for (const JobReason& r : reasons)
    list.push_back(
        {{"reason", code_of(r.rule)}, {"message", text_of(c, r)}, {"details", details_json(c, r)}});
  return list;
}

const char* end_name(SearchEnd end) {
  switch (end) {
    case SearchEnd::kNoScenario:
      return "NoScenarioWorks";
    case SearchEnd::kProven:
      return "ProvenImpossible";
    case SearchEnd::kLikeJob:
      return "LikeJobFailed";
    case SearchEnd::kCutShort:
      return "CutShort";
  }
  return "Unknown";
}

ordered_json search_json(const Cluster& c, const SearchReport& report) {
  ordered_json json{{"action", report.action}, {"end", end_name(report.end)}};
  if (report.end == SearchEnd::kLikeJob) {
    json["like"] = c.job(report.like).full_name();
    return json;
  }
  json["candidates"] = report.candidates;
  json["spared"] = spared_json(c, report.spared);
  json["scenarios"] = report.scenarios;
  if (!report.last_failure.empty()) json["lastFailure"] = report.last_failure;
  return json;
}

ordered_json searches_json(const Cluster& c, const std::vector<SearchReport>& searches) {
  ordered_json list = ordered_json::array();
  for (const SearchReport& report : searches) list.push_back(search_json(c, report));
  return list;
}

ordered_json jobs_json(const Cluster& c, const std::vector<Round>& rounds) {
  const std::vector<WaitingJob> waiting = waiting_after(c, rounds);
  std::map<JobId, const WaitingJob*> by_job;
  for (const WaitingJob& w : waiting) by_job[w.job] = &w;
  ordered_json list = ordered_json::array();
  for (JobId j : present_jobs(c)) {
    const Job& job = c.job(j);
    const auto found = by_job.find(j);
    ordered_json item{
        {"name", job.full_name()},
        {"queue", job.queue_name},
        {"status", status_of(job)},
        {"reasons", found == by_job.end() ? ordered_json::array() : reasons_json(c, found->second->reasons)}};
    if (found != by_job.end() && !found->second->searches.empty())
      item["searches"] = searches_json(c, found->second->searches);
    list.push_back(std::move(item));
  }
  return list;
}

}  // namespace

std::string to_json(const Cluster& c, const std::vector<Round>& rounds, const std::optional<Timing>& timing) {
  ordered_json list = ordered_json::array();
  for (const Round& round : rounds) list.push_back(round_json(c, round, timing.has_value()));
  ordered_json json{{"rounds", std::move(list)}, {"pods", pods_json(c)}, {"jobs", jobs_json(c, rounds)}};
  if (timing) json["timing"] = total_timing(rounds, *timing);
  return json.dump(1) + "\n";
}

}  // namespace muster::cli
