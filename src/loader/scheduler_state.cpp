// Reads the last document of a snapshot. Malformed rows are ignored.
#include "loader/scheduler_state.hpp"

#include <nlohmann/json.hpp>

#include "document/json.hpp"

namespace muster::loader {
namespace {

using JsonValue = nlohmann::json;

double number_in(const JsonValue& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}
std::string word_in(const JsonValue& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Duration seconds_in(const JsonValue& object, const char* key) {
  constexpr double kMost = 9e9;
  return Duration(static_cast<std::int64_t>(std::clamp(number_in(object, key), 0.0, kMost) * 1e9));
}

const JsonValue& part_of(const JsonValue& object, const char* key) {
  static const JsonValue kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

// Calls `use` for each row that names a job and a time. Other rows are ignored.
void each_row(const JsonValue& rows, const auto& use) {
  if (!rows.is_array()) return;
  for (const JsonValue& row : rows) {
    if (!row.is_object()) continue;
    const auto until = parse_time(word_in(row, "until"));
    if (const std::string job = word_in(row, "job"); until && !job.empty()) use(row, job, *until);
  }
}

}  // namespace

bool is_scheduler_state(const Document& document) {
  return document.kind() == "SchedulerState" && document.api_version() == "muster.dev/v1";
}

SchedulerState read_scheduler_state(const Document& document) {
  SchedulerState state;
  const JsonValue root = JsonValue::parse(std::string(simdjson::minify(document.root())), nullptr, false);
  if (!root.is_object()) return state;
  state.at = parse_time(word_in(root, "at"));
  if (const JsonValue& usage = part_of(root, "usage"); usage.is_object())
    for (const auto& [queue, shares] : usage.items())
      if (shares.is_object()) {
        UsageAmounts& amounts = state.usage[queue];
        amounts[index(Accounted::kCores)] = number_in(shares, "cpu");
        amounts[index(Accounted::kBytes)] = number_in(shares, "memory");
        amounts[index(Accounted::kGpus)] = number_in(shares, "gpu");
      }
  if (const JsonValue& history = part_of(root, "history"); history.is_array())
    for (const JsonValue& row : history)
      if (row.is_object())
        state.history[{word_in(row, "queue"), word_in(row, "user")}] = {
            .jobs = static_cast<std::int64_t>(std::clamp(number_in(row, "jobs"), 0.0, 1e9)),
            .median = seconds_in(row, "medianSeconds"),
            .p90 = seconds_in(row, "p90Seconds")};
  if (const JsonValue& evicted = part_of(root, "evictedFor"); evicted.is_object())
    for (const auto& [job, uids] : evicted.items())
      if (uids.is_array())
        for (const JsonValue& uid : uids)
          if (uid.is_string()) state.evicted_for[job].push_back(uid.get<std::string>());
  each_row(part_of(root, "refusedBinds"), [&](const JsonValue& row, const std::string& job, TimePoint until) {
    state.refused[job] = {.pod = word_in(row, "pod"), .why = word_in(row, "why"), .until = until};
  });
  each_row(part_of(root, "protectedJobs"), [&](const JsonValue& row, const std::string& job,
                                               TimePoint until) {
    state.protected_jobs.add(job, {.rule = plugins::protection_rule(word_in(row, "rule")), .until = until});
  });
  return state;
}

void add_live_rules(const SchedulerState& state, Policy& policy) {
  if (!state.protected_jobs.empty())
    policy.plugins.push_back(plugins::recorded_protected_jobs_plugin(state.protected_jobs));
  if (!state.refused.empty()) policy.plugins.push_back(plugins::recorded_refused_jobs_plugin(state.refused));
}

void remember_evictions(const SchedulerState& state, Cluster& cluster) {
  if (state.evicted_for.empty()) return;
  std::map<std::string_view, JobId> by_uid;
  for (JobId j : ids(cluster.jobs())) by_uid[cluster.job(j).uid] = j;
  for (const auto& [name, uids] : state.evicted_for) {
    const auto slash = name.find('/');
    if (slash == name.npos) continue;
    const JobId job = cluster.find_job(name.substr(0, slash), name.substr(slash + 1));
    for (const std::string& uid : uids)
      if (const auto victim = by_uid.find(uid); job.valid() && victim != by_uid.end())
        cluster.record_displaced(job, victim->second);
  }
}

}  // namespace muster::loader
