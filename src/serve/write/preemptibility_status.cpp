// Which jobs are looked at, and what is written where the status says something else.
#include "serve/write/preemptibility_status.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "model/cluster.hpp"
#include "serve/health/log.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/api_forms.hpp"

namespace muster::serve {
namespace {

constexpr std::size_t kLookedAtInTurn = 1000;
// What is gone before costs no write, and what is written at once may be written with it.
constexpr auto kBeforeTelling = std::chrono::seconds(5);
constexpr auto kBeforeTellingAgain = std::chrono::minutes(1);

std::string shown_in(const Json& group) {
  const auto status = kube::part_at(group, "status");
  const std::string_view value = status ? kube::text_at(*status, "preemptibility") : std::string_view();
  if (value.empty()) return "";
  return std::string(value) + " (" + std::string(kube::text_at(*status, "preemptibilitySource")) + ")";
}

}  // namespace

void PreemptibilityStatus::saw_group(const Json& group) {
  const auto metadata = kube::part_at(group, "metadata");
  if (!metadata || !is_kept_) return;
  const std::string key = kube::key_of(*metadata);
  const auto [entry, is_new] = groups_.try_emplace(key);
  if (is_new) entry->second.first_seen = kube::Clock::now();
  entry->second.shown = shown_in(group);
  news_.insert(key);
}

void PreemptibilityStatus::publish(const Cluster& cluster) {
  if (!is_kept_) return;
  const auto now = kube::Clock::now();
  for (const std::string& key : std::exchange(news_, {})) {
    const std::size_t slash = key.find('/');
    const JobId id = cluster.find_job(key.substr(0, slash), key.substr(slash + 1));
    if (id.valid()) look_at(cluster.job(id), now);
  }
  const std::size_t count = cluster.jobs().size();
  for (std::size_t i = 0; i < std::min(count, kLookedAtInTurn); ++i, ++next_)
    look_at(cluster.job(JobId(static_cast<std::uint32_t>(next_ % count))), now);
}

void PreemptibilityStatus::look_at(const Job& job, kube::Clock::time_point now) {
  const auto found = groups_.find(job.full_name());
  if (!job.present || found == groups_.end() || updates_.is_full()) return;
  Group& group = found->second;
  const std::string wanted = preemptibility_text(job);
  if (group.shown == wanted || now < group.first_seen + kBeforeTelling) return;
  if (group.sent == wanted && now < group.sent_at + kBeforeTellingAgain) return;
  group.sent = wanted;
  group.sent_at = now;
  put(job);
}

void PreemptibilityStatus::put(const Job& job) {
  const nlohmann::json body = {{"metadata", {{"uid", job.uid}}},
                               {"status",
                                {{"preemptibility", name_of(job.preemptibility)},
                                 {"preemptibilitySource", name_of(job.preemptibility_source)}}}};
  const kube::ApiRequest request{.method = "PATCH",
                                 .path = kube::resources::kPodGroups.path(job.ns, job.name) + "/status",
                                 .body = body.dump(),
                                 .content_type = kube::kMergePatch};
  const auto on_success = [this](const kube::HttpResponse& answer) {
    p_.knowledge.saw(kube::resources::kPodGroups, answer.body);
    if (answer.body.find("\"preemptibilitySource\"") != std::string::npos) return;
    is_kept_ = false;
    p_.log.info("the CRD of PodGroups has no status.preemptibility: the annotation alone tells it");
  };
  updates_.put(job.full_name(), {.make = [request] { return request; }, .on_success = on_success});
}

}  // namespace muster::serve
