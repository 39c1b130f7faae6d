// Writes the objects as received, corrected by later decisions, followed by the scheduler's own state.
#include "serve/check/cycle_snapshot.hpp"

#include <nlohmann/json.hpp>

#include "kube/cluster_reader.hpp"
#include "kube/json_text.hpp"
#include "serve/write/bind.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

using nlohmann::ordered_json;

std::string word_at(const ordered_json& object, const char* path) {
  const ordered_json::json_pointer pointer(path);
  return object.contains(pointer) && object[pointer].is_string() ? object[pointer].get<std::string>() : "";
}

ordered_json& object_in(ordered_json& parent, const char* key) {
  ordered_json& member = parent[key];
  if (!member.is_object()) member = ordered_json::object();
  return member;
}

// Corrects the object to what the model has: decisions that the watch has not shown yet count as carried out.
void correct(const CycleSnapshot& s, ordered_json& object) {
  ordered_json& metadata = object_in(object, "metadata");
  const std::string uid = word_at(object, "/metadata/uid");
  if (const auto since = s.evicted.find(uid);
      since != s.evicted.end() && !metadata.contains("deletionTimestamp"))
    metadata["deletionTimestamp"] = format_time(since->second);
  if (const auto group = s.groups.find(uid); group != s.groups.end()) {
    object_in(metadata, "annotations")["pod-group-name"] = group->second.first;
    if (!group->second.second.empty())
      object_in(metadata, "labels")["kai.scheduler/subgroup-name"] = group->second.second;
  }
  if (object["kind"] != "PodGroup") return;
  const auto changes =
      s.annotations.find(word_at(object, "/metadata/namespace") + "/" + word_at(object, "/metadata/name"));
  if (changes == s.annotations.end()) return;
  for (const auto& [key, value] : changes->second)
    if (value)
      object_in(metadata, "annotations")[key] = *value;
    else if (metadata.contains("annotations"))
      object_in(metadata, "annotations").erase(key);
}

// The rows of a table, sorted by key.
template <class Table, class Row>
ordered_json rows_of(const Table& table, const Row& row) {
  std::map<std::string, ordered_json> sorted;
  for (const auto& [job, entry] : table) sorted[job] = row(job, entry);
  ordered_json rows = ordered_json::array();
  for (auto& [job, entry] : sorted) rows.push_back(std::move(entry));
  return rows;
}

ordered_json refused_json(const plugins::RefusedJobs::Refusals& refused) {
  return rows_of(refused, [](const std::string& job, const plugins::RefusedJobs::Refusal& r) {
    return ordered_json{{"job", job}, {"pod", r.pod}, {"why", r.why}, {"until", format_time(r.until)}};
  });
}
ordered_json protected_json(const plugins::ProtectedJobs& jobs) {
  return rows_of(jobs.all(), [](const std::string& job, const plugins::ProtectedJobs::Protection& p) {
    return ordered_json{{"job", job}, {"rule", p.rule}, {"until", format_time(p.until)}};
  });
}

ordered_json state_of(const CycleSnapshot& s) {
  ordered_json usage = ordered_json::object(), history = ordered_json::array();
  for (const auto& [queue, shares] : s.usage)
    usage[queue] = {{"cpu", shares[index(Accounted::kCores)]},
                    {"memory", shares[index(Accounted::kBytes)]},
                    {"gpu", shares[index(Accounted::kGpus)]}};
  for (const auto& [who, runs] : s.history)
    history.push_back({{"queue", who.first},
                       {"user", who.second},
                       {"jobs", runs.jobs},
                       {"medianSeconds", std::chrono::duration<double>(runs.median).count()},
                       {"p90Seconds", std::chrono::duration<double>(runs.p90).count()}});
  ordered_json state = kube::scheduler_state(s.at);
  state["usage"] = std::move(usage);
  state["history"] = std::move(history);
  state["evictedFor"] = s.taken;
  state["refusedBinds"] = refused_json(s.refused);
  state["protectedJobs"] = protected_json(s.protected_jobs);
  state["config"] = ordered_json::parse(s.config, nullptr, false);
  state["decided"] = ordered_json::parse(s.decided, nullptr, false);
  return state;
}

}  // namespace

CycleSnapshot snapshot_before(const Cluster& cluster, const LiveSource& source,
                              const Assumptions& assumptions, const PoolLabel& pool, TimePoint now) {
  CycleSnapshot s{.at = now, .objects = source.texts()};
  assumptions.each_eviction([&](const std::string& uid, TimePoint since) { s.evicted[uid] = since; });
  assumptions.each_group([&](const std::string& uid, const auto& group) { s.groups[uid] = group; });
  assumptions.each_annotation(
      [&](const std::string& job, const AnnotationChanges& changes) { s.annotations[job] = changes; });
  assumptions.each_bind([&](const std::string& pod) {
    const auto slash = pod.find('/');
    const TaskId task = cluster.find_task(pod.substr(0, slash), pod.substr(slash + 1));
    if (!task.valid() || !cluster.placement(task).node.valid()) return;
    const Placement& at = cluster.placement(task);
    s.binds.push_back(bind_request_of(bind_of(cluster, {task, at.node, at.holding}, assumptions), pool).body);
  });
  source.each_ungrouped([&](const std::string& uid) { s.ungrouped.insert(uid); });
  for (const Job& job : cluster.jobs())
    if (job.present && !job.displaced_for_it.empty())
      s.taken[job.full_name()] = {job.displaced_for_it.begin(), job.displaced_for_it.end()};
  return s;
}

std::string text_of(const CycleSnapshot& s) {
  ordered_json items = ordered_json::array();
  for (const ObjectText& text : s.objects) {
    ordered_json parsed = ordered_json::parse(*text.json, nullptr, false);
    if (!parsed.is_object() || s.ungrouped.contains(word_at(parsed, "/metadata/uid"))) continue;
    ordered_json object{{"apiVersion", text.api_version}, {"kind", text.kind}};
    for (auto& [key, value] : parsed.items())
      if (key != "apiVersion" && key != "kind") object[key] = std::move(value);
    correct(s, object);
    items.push_back(std::move(object));
  }
  for (const std::string& bind : s.binds) items.push_back(ordered_json::parse(bind));
  items.push_back(state_of(s));
  ordered_json list = kube::snapshot_of(s.at, std::move(items));
  kube::strip(list);
  return kube::json_text(list) + "\n";
}

}  // namespace muster::serve
