// The answer of explain as JSON: muster.dev/explain/v1.
#include <cmath>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "model/reason_text.hpp"

namespace muster::answers {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const ChangeValue& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    constexpr double kLastWhole = 1LL << 53;
    const bool is_whole = *number == std::floor(*number) && std::abs(*number) <= kLastWhole;
    return is_whole ? ordered_json(static_cast<std::int64_t>(*number)) : ordered_json(*number);
  }
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? ordered_json() : ordered_json(*text);
}

ordered_json time_json(const std::optional<TimePoint>& t) {
  return t ? ordered_json(format_time(*t)) : ordered_json();
}

ordered_json names_json(const Cluster& c, const std::vector<JobId>& jobs) {
  ordered_json list = ordered_json::array();
  for (JobId j : jobs) list.push_back(c.job(j).full_name());
  return list;
}

ordered_json line_json(const Cluster& c, const Line& line) {
  ordered_json ahead = ordered_json::array();
  for (const Ahead& a : line.ahead) ahead.push_back({{"job", c.job(a.job).full_name()}, {"rule", a.rule}});
  const auto place = [](std::size_t n) { return n == 0 ? ordered_json() : ordered_json(n); };
  return {{"inQueue", place(line.in_queue)}, {"overall", place(line.overall)}, {"ahead", std::move(ahead)}};
}

// The name of the obstacle: the taint, the label, the resource or the claim.
std::string what_of(const Cluster& c, const NodeRefusal& refusal) {
  if (!refusal.what.empty()) return refusal.what;
  return refusal.kind.valid() ? c.kinds().name(refusal.kind) : "";
}

ordered_json nodes_json(const Cluster& c, const std::vector<RefusingNodes>& nodes) {
  ordered_json list = ordered_json::array();
  for (const RefusingNodes& n : nodes)
    list.push_back({{"count", n.count},
                    {"rule", code_of(n.refusal.rule)},
                    {"what", what_of(c, n.refusal)},
                    {"message", muster::text_of(c, n.refusal)},
                    {"examples", n.examples}});
  return list;
}

ordered_json closest_json(const Cluster& c, const std::vector<ClosestNode>& closest) {
  ordered_json list = ordered_json::array();
  for (const ClosestNode& n : closest) list.push_back({{"node", c.node(n.node).name}, {"lacks", n.lacks}});
  return list;
}

ordered_json spared_json(const std::vector<NotEvictableJobs>& spared) {
  ordered_json list = ordered_json::array();
  for (const NotEvictableJobs& s : spared) {
    list.push_back({{"rule", s.rule},
                    {"jobs", s.jobs},
                    {"gpus", s.held.share(Accounted::kGpus)},
                    {"until", time_json(s.until)}});
  }
  return list;
}

ordered_json tried_json(const Cluster& c, const std::vector<SearchReport>& searches) {
  ordered_json list = ordered_json::array();
  for (const SearchReport& r : searches)
    list.push_back({{"action", r.action},
                    {"candidates", r.candidates},
                    {"spared", spared_json(r.spared)},
                    {"scenarios", r.scenarios},
                    {"failure", failure_text(c, r)}});
  return list;
}

ordered_json helps_json(const Cluster& c, const Helps& helps) {
  ordered_json list = ordered_json::array();
  for (const Help& h : helps.changes)
    list.push_back({{"change", change_json(h.change)},
                    {"evicts", names_json(c, h.evicts)},
                    {"delays", names_json(c, h.delays)}});
  return list;
}

ordered_json start_json(const StartEstimate& s) {
  ordered_json json{
      {"p50", time_json(s.p50)},
      {"p90", time_json(s.p90)},
      {"never", s.never},
      {"basis",
       {{"expected", s.basis.expected}, {"history", s.basis.history}, {"unknown", s.basis.unknown}}}};
  json["futures"] = s.futures;
  if (s.rests_on_unknown) json["restsOnUnknown"] = true;
  if (s.is_cut) json["cutShort"] = true;
  return json;
}

ordered_json eviction_record_json(const EvictionRecord& r) {
  ordered_json json{
      {"at", r.at}, {"action", r.action}, {"for", r.by_job}, {"rule", r.rule}, {"pods", r.pods}};
  if (r.runtime_lost_seconds) json["runtimeLostSeconds"] = *r.runtime_lost_seconds;
  if (!r.alternatives.empty()) json["alternatives"] = r.alternatives;
  return json;
}

ordered_json terms_json(const std::vector<ScoreTerm>& terms) {
  ordered_json json = ordered_json::object();
  for (const ScoreTerm& t : terms) json[t.plugin] = t.score;
  return json;
}

ordered_json running_json(const Cluster& c, const Running& running) {
  ordered_json pods = ordered_json::array(), preemptors = ordered_json::array();
  for (const PlacedPod& s : running.placed_pods) {
    pods.push_back(
        {{"pod", c.task(s.task).full_name()}, {"node", c.node(s.node).name}, {"score", terms_json(s.terms)}});
    if (!s.next_best.empty())
      pods.back()["nextBest"] = {{"node", s.next_best}, {"score", terms_json(s.next_terms)}};
  }
  for (const Preemptor& t : running.preemptors) {
    preemptors.push_back({{"job", c.job(t.job).full_name()}, {"action", t.action}});
    if (!t.rule.empty()) preemptors.back()["rule"] = t.rule;
    if (t.until) preemptors.back()["until"] = format_time(*t.until);
  }
  return {{"pods", std::move(pods)},
          {"protectedUntil", time_json(running.protected_until)},
          {"couldTakeItsPlace", std::move(preemptors)}};
}

}  // namespace

ordered_json change_json(const Change& change) {
  ordered_json json{{"kind", name_of(change.kind)}, {"target", change.target}};
  if (change.resource) json["resource"] = name_of(*change.resource);
  json["from"] = value_json(change.from);
  json["to"] = value_json(change.to);
  return json;
}

ordered_json explanation_json(const Cluster& c, const Explanation& e) {
  ordered_json json{{"schema", "muster.dev/explain/v1"},
                    {"job", c.job(e.job).full_name()},
                    {"state", name_of(e.state)},
                    {"since", time_json(e.since)},
                    {"queue", c.job(e.job).queue_name},
                    {"line", line_json(c, e.line)},
                    {"reasons", reasons_json(c, e.waiting.reasons)},
                    {"nodes", nodes_json(c, e.nodes)},
                    {"closest", closest_json(c, e.closest)},
                    {"tried", tried_json(c, e.waiting.searches)}};
  if (e.helps) {
    json["wouldHelp"] = helps_json(c, *e.helps);
    if (e.helps->is_cut) json["stoppedLooking"] = true;
  }
  if (e.start) json["start"] = start_json(*e.start);
  if (e.recorded_start) json["recordedStart"] = time_json(e.recorded_start->at);
  if (e.receipt) json["eviction"] = eviction_record_json(*e.receipt);
  if (e.running) json["running"] = running_json(c, *e.running);
  return json;
}

}  // namespace muster::answers
