// Pods of a LeaderWorkerSet: for each replica the leader and its workers, all with stable identities.
#include <fmt/format.h>

#include "grouper/fields.hpp"
#include "grouper/pod_parts.hpp"

namespace muster::grouper {
namespace {

json replica_labels(const json& set, std::int64_t replica) {
  return {{"leaderworkerset.sigs.k8s.io/name", workload_name(set)},
          {"leaderworkerset.sigs.k8s.io/group-index", fmt::format("{}", replica)}};
}

void add_replica(const json& set, std::int64_t replica, std::int64_t size, std::vector<Part>& parts) {
  const json& workers = at(set, "/spec/leaderWorkerTemplate/workerTemplate");
  const json& own = at(set, "/spec/leaderWorkerTemplate/leaderTemplate");
  const std::string above = "spec.leaderWorkerTemplate.";
  Part leader{.template_path = above + (own.is_object() ? "leaderTemplate" : "workerTemplate"),
              .pod_template = own.is_object() ? &own : &workers,
              .prefix = workload_name(set) + "-",
              .first = replica,
              .has_identities = true,
              .labels = replica_labels(set, replica),
              .is_only_one = false};
  leader.labels["leaderworkerset.sigs.k8s.io/worker-index"] = "0";
  parts.push_back(std::move(leader));
  parts.push_back({.template_path = above + "workerTemplate",
                   .pod_template = &workers,
                   .prefix = fmt::format("{}-{}-", workload_name(set), replica),
                   .count = size - 1,
                   .first = 1,
                   .has_identities = true,
                   .labels = replica_labels(set, replica),
                   .index_label = "leaderworkerset.sigs.k8s.io/worker-index",
                   .is_only_one = false});
}

}  // namespace

Result<Wanted> leader_worker_pods(const json& set, const Present&) {
  const auto replicas = given_count(set, "/spec/replicas");
  if (!replicas) return replicas.error();
  const auto size = given_count(set, "/spec/leaderWorkerTemplate/size");
  if (!size) return size.error();
  const std::int64_t count = replicas->value_or(1), each = size->value_or(1);
  if (each == 0) return error_at("/spec/leaderWorkerTemplate/size", "must be at least 1");
  if (each > kMostPods) return too_many("/spec/leaderWorkerTemplate/size", each);
  if (count > kMostPods / each) return too_many("/spec/replicas", count > INT32_MAX ? count : count * each);
  Wanted wanted;
  for (std::int64_t i = 0; i < count; ++i) add_replica(set, i, each, wanted.parts);
  return wanted;
}

}  // namespace muster::grouper
