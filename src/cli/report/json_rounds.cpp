// What each cycle decided as JSON: one function per part, named after its field.
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "cli/report/json_parts.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

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

ordered_json stand_json(const Cluster& c, const QueueStand& stand) {
  return {{"name", c.queue(stand.queue).name},
          {"held", answers::shares_json(stand.held)},
          {"fairShare", answers::shares_json(stand.fair_share)},
          {"quota", answers::shares_json(stand.quota)}};
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
  for (const QueueWarning& w : r.queue_warnings)
    warnings.push_back({{"queue", c.queue(w.queue).name}, {"message", w.problem}});
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

}  // namespace

ordered_json group_names(const Cluster& c, HoldingId holding) {
  ordered_json names = ordered_json::array();
  for (GroupId g : c.groups(holding)) names.push_back(c.group_name(g));
  return names;
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
  json["now"] = format_time(round.now);
  if (with_timing) json["timing"] = timing_json(d);
  return json;
}

}  // namespace muster::cli
