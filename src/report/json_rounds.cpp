// Each cycle as JSON: its decisions, its requeue record and its timing.
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "report/json_parts.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;

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
                        {"for", c.job(attempt.preemptor).full_name()},
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
  ordered_json json{{"cycle", round.cycle}};
  json.update(answers::decisions_json(c, d));
  if (d.requeue) json["requeue"] = requeue_json(c, *d.requeue);
  json["now"] = format_time(round.now);
  if (with_timing) json["timing"] = timing_json(d);
  return json;
}

}  // namespace muster::report
