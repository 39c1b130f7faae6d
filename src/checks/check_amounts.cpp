// Checks that the quotas, limits and weights of a queue agree with each other, with those of its parent, and
// with the size of the cluster.
#include <fmt/format.h>

#include <array>

#include "checks/checks.hpp"
#include "model/reason_text.hpp"
#include "util/words.hpp"

namespace muster::checks {
namespace {

constexpr double kUnlimited = -1;

const char* key_of(Accounted r) {
  static constexpr std::array kKeys{"cpu", "memory", "gpu"};
  return kKeys[index(r)];
}

const char* noun_of(Accounted r) {
  static constexpr std::array kNouns{"CPU", "memory", "GPUs"};
  return kNouns[index(r)];
}

std::string path_of(Accounted r, const char* field) {
  return fmt::format("spec.resources.{}.{}", key_of(r), field);
}

std::string object_of(const Queue& queue) { return "Queue " + queue.name; }

// The sum is unlimited if one of the quotas is.
double quota_sum(const Cluster& cluster, std::span<const QueueId> queues, Accounted r) {
  double sum = 0;
  for (QueueId q : queues) {
    if (cluster.queue(q).of(r).quota < 0) return kUnlimited;
    sum += cluster.queue(q).of(r).quota;
  }
  return sum;
}

bool is_above(double amount, double bound) { return bound >= 0 && (amount < 0 || amount > bound); }

void check_limit(const Queue& queue, Accounted r, Warnings& warnings) {
  const QueueAmounts& amounts = queue.of(r);
  const std::string limit = path_of(r, "limit");
  if (amounts.limit == 0 && amounts.limit_missing)
    return warnings.add(
        object_of(queue), limit,
        fmt::format("is missing and counts as 0: no pod that requests {} can run here; -1 means "
                    "no limit",
                    noun_of(r)));
  if (is_above(amounts.quota, amounts.limit))
    warnings.add(object_of(queue), limit,
                 fmt::format("{} is below the quota of {}; the rest of the quota can never be used",
                             amount_text(r, amounts.limit), amount_text(r, amounts.quota)));
}

// Negative memory counts as unlimited; for the other resources only -1 does.
void check_sign(const Queue& queue, Accounted r, Warnings& warnings) {
  const QueueAmounts& amounts = queue.of(r);
  for (const auto& [field, amount] : {std::pair("quota", amounts.quota), std::pair("limit", amounts.limit)})
    if (amount < 0 && amount != kUnlimited)
      warnings.add(object_of(queue), path_of(r, field),
                   fmt::format("{} is negative; write -1 for unlimited", decimal(amount)));
}

// A queue with less than one core is probably a mistake: the unit is millicores.
void check_unit(const Queue& queue, Warnings& warnings) {
  constexpr double kOneCore = 1000;
  const QueueAmounts& cpu = queue.of(Accounted::kCores);
  for (const auto& [field, amount] : {std::pair("quota", cpu.quota), std::pair("limit", cpu.limit)})
    if (amount > 0 && amount < kOneCore)
      warnings.add(object_of(queue), path_of(Accounted::kCores, field),
                   fmt::format("{0} means {0} millicores, not cores; for {0} cores write {1}",
                               decimal(amount), decimal(amount * kOneCore)));
}

void check_weight(const Queue& queue, Accounted r, Warnings& warnings) {
  const QueueAmounts& amounts = queue.of(r);
  if (amounts.quota != 0 || amounts.weight != 0 || amounts.limit == 0) return;
  warnings.add(
      object_of(queue), path_of(r, "quota"),
      fmt::format("quota and overQuotaWeight are both 0: the fair share is always 0, and jobs here can use "
                  "only the {} that no other queue requests",
                  noun_of(r)));
}

void check_children(const Cluster& cluster, const Queue& queue, Accounted r, Warnings& warnings) {
  const double sum = quota_sum(cluster, queue.children, r);
  if (queue.is_leaf() || !is_above(sum, queue.of(r).quota)) return;
  warnings.add(
      object_of(queue), path_of(r, "quota"),
      fmt::format("{} is less than the sum of the quotas of its child queues ({})",
                  amount_text(r, queue.of(r).quota), sum < 0 ? "unlimited amount" : amount_text(r, sum)));
}

// The warning is attached to the first of the top queues with a quota of the resource.
void check_top(const Cluster& cluster, Accounted r, Warnings& warnings) {
  const double capacity = cluster.total().share(r);
  double sum = 0;
  const Queue* first = nullptr;
  for (QueueId q : cluster.queue_tree().top()) {
    const Queue& queue = cluster.queue(q);
    if (queue.of(r).quota <= 0) continue;
    sum += queue.of(r).quota;
    if (first == nullptr) first = &queue;
  }
  if (first != nullptr && sum > capacity)
    warnings.add(object_of(*first), path_of(r, "quota"),
                 fmt::format("the quotas of the top queues sum to {}; the nodes have {}", amount_text(r, sum),
                             amount_text(r, capacity)));
}

}  // namespace

void check_amounts(const Checked& checked, const Queue& queue, Warnings& warnings) {
  if (!queue.present) return;
  check_unit(queue, warnings);
  for (Accounted r : kAccounted) {
    check_limit(queue, r, warnings);
    check_sign(queue, r, warnings);
    check_weight(queue, r, warnings);
    check_children(checked.cluster, queue, r, warnings);
  }
}

void check_top_quotas(const Checked& checked, Warnings& warnings) {
  if (checked.cluster.nodes_by_name().empty()) return;
  for (Accounted r : kAccounted) check_top(checked.cluster, r, warnings);
}

}  // namespace muster::checks
