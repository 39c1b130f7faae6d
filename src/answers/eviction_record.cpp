// Stores an eviction record as one line of JSON in an annotation, with a limited number of names.
#include "answers/eviction_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/running.hpp"

namespace muster::answers {

std::optional<EvictionRecord> eviction_record_in(const Cluster& cluster, const Decisions& decided, JobId job,
                                                 TimePoint now) {
  std::optional<EvictionRecord> receipt;
  for (const EvictDecision& e : decided.evictions) {
    if (cluster.task(e.task).job != job) continue;
    if (!receipt) {
      receipt = EvictionRecord{.at = format_time(now),
                               .action = e.action,
                               .by_job = e.preemptor.valid() ? cluster.job(e.preemptor).full_name() : "",
                               .rule = e.rule.empty() ? e.action : e.rule,
                               .pods = {},
                               .runtime_lost_seconds = {},
                               .alternatives = {}};
      if (e.runtime_lost)
        receipt->runtime_lost_seconds = std::chrono::duration<double>(*e.runtime_lost).count();
    }
    receipt->pods.push_back(cluster.task(e.task).full_name());
  }
  return receipt;
}

// Names only some pods of a large gang, to keep the annotation small.
std::string to_annotation(const EvictionRecord& r) {
  constexpr std::size_t kMostPods = 20;
  std::vector<std::string> pods = r.pods;
  if (pods.size() > kMostPods) pods.resize(kMostPods);
  nlohmann::ordered_json json{
      {"at", r.at}, {"action", r.action}, {"for", r.by_job}, {"rule", r.rule}, {"pods", std::move(pods)}};
  if (r.runtime_lost_seconds) json["runtimeLostSeconds"] = *r.runtime_lost_seconds;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::optional<EvictionRecord> from_annotation(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto word = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  EvictionRecord receipt{.at = word("at"),
                         .action = word("action"),
                         .by_job = word("for"),
                         .rule = word("rule"),
                         .pods = {},
                         .runtime_lost_seconds = {},
                         .alternatives = {}};
  if (!parse_time(receipt.at) || receipt.action.empty()) return std::nullopt;
  if (const auto pods = json.find("pods"); pods != json.end() && pods->is_array())
    for (const auto& pod : *pods)
      if (pod.is_string()) receipt.pods.push_back(pod.get<std::string>());
  if (const auto lost = json.find("runtimeLostSeconds"); lost != json.end() && lost->is_number())
    receipt.runtime_lost_seconds = lost->get<double>();
  return receipt;
}

namespace {

// True if the job was started again after the eviction.
bool is_over(const Job& job, const EvictionRecord& receipt) {
  const auto at = parse_time(receipt.at);
  return job.last_start && at && *job.last_start > *at;
}

}  // namespace

std::optional<EvictionRecord> eviction_record_of(const State& state, const Cluster& after,
                                                 const Decisions& decided, JobId id) {
  if (auto now = eviction_record_in(after, decided, id, state.now)) {
    const auto ours = std::ranges::find_if(
        decided.evictions, [&](const EvictDecision& e) { return after.task(e.task).job == id; });
    if (ours->preemptor.valid()) now->alternatives = others_to_evict(state, ours->preemptor, id);
    return now;
  }
  const Job& job = state.cluster.job(id);
  if (job.eviction_receipt)
    if (auto kept = from_annotation(*job.eviction_receipt); kept && !is_over(job, *kept)) return kept;
  if (!job.last_eviction || (job.last_start && *job.last_start > *job.last_eviction)) return std::nullopt;
  return EvictionRecord{.at = format_time(*job.last_eviction),
                        .action = "",
                        .by_job = "",
                        .rule = "",
                        .pods = {},
                        .runtime_lost_seconds = {},
                        .alternatives = {}};
}

}  // namespace muster::answers
