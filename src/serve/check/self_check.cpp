// Builds a second model from lists of the API server, and compares the live model with it.
#include "serve/check/self_check.hpp"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <map>

#include "kube/api_client.hpp"
#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "serve/check/object_facts.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/decode.hpp"
#include "serve/read/live_source.hpp"
#include "serve/write/pod_group_writer.hpp"

namespace muster::serve {

// A second model, read from the API server, and the versions of its objects.
struct FreshCluster {
  explicit FreshCluster(const ClusterOptions& options) : cluster(options) {}
  struct Kind {
    absl::flat_hash_map<std::string, std::uint64_t> versions;  // by "ns/name"
    std::uint64_t version = 0;                                 // of the list
  };
  Cluster cluster;
  std::map<std::string, Kind> kinds;
};

namespace {

namespace resources = kube::resources;

// Time for the watch to deliver what the list shows.
constexpr auto kWatchLag = std::chrono::seconds(2);
constexpr auto kQuietPeriod = std::chrono::seconds(2);
constexpr std::size_t kMostShown = 20;

const kube::Resource* const kRead[] = {&resources::kNodes,           &resources::kQueues,
                                       &resources::kPriorityClasses, &resources::kBindRequests,
                                       &resources::kPodGroups,       &resources::kPods};
constexpr const char* kCompared[] = {"Node", "Queue", "PodGroup", "Pod"};

void take_page(const kube::Resource& resource, Json page, FreshCluster& fresh) {
  const auto take = [&](Object&& object) { fresh.cluster.apply(std::move(object)); };
  FreshCluster::Kind& kind = fresh.kinds[resource.kind];
  kube::each_item(kube::part_at(page, "items"), [&](Json item) {
    const Findings findings = decode(item, resource, take);
    const auto metadata = kube::part_at(item, "metadata");
    if (metadata && findings.errors.empty())
      kind.versions[kube::key_of(*metadata)] = kube::version_of(*metadata);
  });
}

std::pair<std::string, std::string> parts_of(const std::string& key) {
  const std::size_t slash = key.find('/');
  return {key.substr(0, slash), key.substr(slash + 1)};
}

}  // namespace

SelfCheck::SelfCheck(const WriteServices& parts, const Live& live, Options options)
    : p_(parts), live_(live), options_(std::move(options)) {}

SelfCheck::~SelfCheck() = default;

bool SelfCheck::is_wanted(bool is_busy) {
  const auto now = kube::Clock::now();
  if (is_busy) last_busy_ = now;
  const int due = options_.cycles_between;
  if (due <= 0 || cycles_since_ < (now - last_busy_ < kQuietPeriod ? 2 * due : due)) return false;
  cycles_since_ = 0;
  return true;
}

// ---------------------------------------------------------------- reading

kube::Async<bool> SelfCheck::read() {
  if (is_reading_ || !live_.source.is_synced()) co_return false;
  is_reading_ = true;
  std::unique_ptr<FreshCluster> fresh;
  try {
    fresh = co_await read_fresh();
  } catch (const std::exception& failure) {
    p_.log.repeated_warning(std::string("could not list the objects for the self-check: ") + failure.what());
  }
  co_await p_.client.loop().sleep(kWatchLag);
  fresh_ = std::move(fresh);
  is_reading_ = false;
  co_return is_due();
}

// Returns null if the API server did not answer.
kube::Async<std::unique_ptr<FreshCluster>> SelfCheck::read_fresh() {
  auto fresh = std::make_unique<FreshCluster>(options_.cluster);
  for (const kube::Resource* resource : kRead) {
    const bool is_read = co_await read_kind(resource, fresh.get());
    if (!is_read) co_return nullptr;
  }
  co_return fresh;
}

kube::Async<bool> SelfCheck::read_kind(const kube::Resource* resource, FreshCluster* fresh) {
  simdjson::dom::parser parser;
  std::string next;
  do {
    std::string path = resource->path() + "?limit=500";
    if (resource->kind == "Pod") path += "&fieldSelector=status.phase%21%3DFailed";
    if (!next.empty()) path += "&continue=" + next;
    const kube::HttpResponse answer = co_await p_.client.get(std::move(path));
    Json page;
    if (answer.status == 404) co_return true;  // a kind that is not installed has no objects
    if (!answer.ok() || parser.parse(answer.body).get(page) != simdjson::SUCCESS) co_return false;
    const auto metadata = kube::part_at(page, "metadata");
    if (!metadata) co_return false;
    next = kube::text_at(*metadata, "continue");
    fresh->kinds[resource->kind].version = kube::version_of(*metadata);
    take_page(*resource, page, *fresh);
  } while (!next.empty());
  co_return true;
}

// ---------------------------------------------------------------- comparing

void SelfCheck::compare(const Cluster& live, TimePoint now) {
  fresh_->cluster.refresh(now);
  const std::vector<std::string> found = drift(live);
  fresh_.reset();
  malloc_trim(0);  // returns the memory of the second model to the system
  p_.metrics.checked();
  p_.metrics.drifted(found.size());
  p_.log.info("self-check", {{"drift", std::to_string(found.size())}});
  for (std::size_t i = 0; i < std::min(found.size(), kMostShown); ++i) p_.log.error("drift: " + found[i]);
  if (!found.empty()) live_.source.list_again(true);
}

std::vector<std::string> SelfCheck::drift(const Cluster& live) const {
  std::vector<std::string> drift;
  for (const char* kind : kCompared) compare_kind(live, kind, drift);
  std::ranges::sort(drift);
  return drift;
}

// Skips objects that have changed since they were listed, and objects with assumptions.
void SelfCheck::compare_kind(const Cluster& live, const std::string& kind,
                             std::vector<std::string>& drift) const {
  const kube::Reflector& reflector = live_.source.reflector(kind);
  const FreshCluster::Kind& listed = fresh_->kinds[kind];
  for (const auto& [key, version] : listed.versions) {
    const auto [ns, name] = parts_of(key);
    const std::uint64_t known = reflector.version_of(key);
    if (known > version || reflector.was_deleted_after(key, version) || is_assumed(live, kind, ns, name))
      continue;
    std::string problem =
        difference(facts_of(live, kind, ns, name), facts_of(fresh_->cluster, kind, ns, name));
    if (problem.empty() && known < version) problem = "has changed, but the watch did not report it";
    if (!problem.empty()) drift.push_back(fmt::format("{} {}: {}", kind, key, problem));
  }
  reflector.each([&](const std::string& key, std::uint64_t known) {
    if (known <= listed.version && !listed.versions.contains(key))
      drift.push_back(fmt::format("{} {}: no longer exists", kind, key));
  });
}

bool SelfCheck::is_assumed(const Cluster& live, const std::string& kind, const std::string& ns,
                           const std::string& name) const {
  if (kind == "PodGroup") return live_.groups.is_being_written(ns, name);
  const TaskId task = kind == "Pod" ? live.find_task(ns, name) : TaskId();
  return task.valid() && live_.assumptions.touches(ns, name, live.task(task).uid);
}

}  // namespace muster::serve
