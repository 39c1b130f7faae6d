// Renders reasons as text for people.
#include "model/reason_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "util/words.hpp"

namespace muster {
namespace {

std::string plural(double n, const char* one, const char* many) {
  return decimal(n) + " " + (n == 1 ? one : many);
}

std::string resource_name(const Cluster& cluster, Kind kind) {
  if (!kind.valid()) return "resources";
  if (kind == kCpu) return "CPU";
  if (kind == kMemory) return "memory";
  if (kind == kGpu) return "GPUs";
  if (kind == kPods) return "pod slots";
  return cluster.kinds().name(kind);
}

std::string_view wanted_gpu_value(std::string_view key) {
  if (key == "gpu-fraction") return "a number above 0 and at most 1";
  if (key == "gpu-memory") return "a positive whole number of MiB";
  return key == "gpu-fraction-num-devices" ? "a positive whole number" : "a whole number";
}

// ---------------------------------------------------------------- amounts in a common unit

struct Unit {
  double size = 1;
  std::string name;  // "" for plain counts

  std::string number(double value) const { return decimal(value / size); }
  std::string amount(double value) const {
    if (name.empty()) return number(value);
    return number(value) + " " + (name == "cores" && value == size ? "core" : name);
  }
};

// Uses steps of 1024 if the amount was written that way, otherwise steps of 1000.
Unit bytes_unit(double most, bool is_binary) {
  const double step = is_binary ? 1024 : 1000;
  const char* const names[] = {"bytes", is_binary ? "KiB" : "kB", is_binary ? "MiB" : "MB",
                               is_binary ? "GiB" : "GB"};
  std::size_t i = 0;
  double size = 1;
  for (; i < 3 && most >= size * step; ++i) size *= step;
  return {size, names[i]};
}

bool is_written_binary(std::int64_t bytes) { return bytes % (1 << 20) == 0 && bytes % 1'000'000 != 0; }

// The unit that the pod uses: "64 GiB" stays "64 GiB".
Unit unit_of(const Cluster& cluster, Kind kind, std::int64_t wanted) {
  if (kind == kCpu) return {1000, "cores"};
  if (kind == kGpu) return {static_cast<double>(kOneGpu), ""};
  if (!kind.valid()) return {};
  const std::string_view name = cluster.kinds().name(kind);
  if (const std::int64_t per_byte = units_per_byte(name); per_byte > 0) {
    const std::int64_t bytes = wanted / per_byte;
    Unit unit = bytes_unit(static_cast<double>(bytes), is_written_binary(bytes));
    unit.size *= static_cast<double>(per_byte);
    return unit;
  }
  return {kind == kPods || name.starts_with("nvidia.com/mig-") ? 1.0 : 1000.0, ""};
}

// The unit that the queue uses; its memory is in megabytes.
Unit unit_of(Accounted resource, double bound) {
  if (resource == Accounted::kBytes) return bytes_unit(std::max(bound, 1e6), false);
  if (resource == Accounted::kCores) return {1000, "cores"};
  return {1, ""};
}

std::string over_text(const Cluster& cluster, const JobReason& r) {
  const std::string& queue = cluster.queue(r.queue).shown_name();
  const Unit unit = unit_of(r.resource, r.bound);
  const std::string bound = unit.name.empty() ? amount_text(r.resource, r.bound) : unit.amount(r.bound);
  if (r.rule == JobRule::kOverLimit)
    return fmt::format("queue {} has a limit of {}: {} in use, {} more requested", queue, bound,
                       unit.amount(r.held), unit.amount(r.wanted));
  return fmt::format(
      "non-preemptible jobs may use only the quota of queue {}: {} of {} in use by them, {} more requested; "
      "preemptible jobs may exceed it",
      queue, unit.amount(r.held), bound, unit.amount(r.wanted));
}

// ---------------------------------------------------------------- nodes

constexpr std::size_t kMostRows = 5;

std::string nodes_text(std::int64_t nodes) {
  return fmt::format("{} {}", nodes, nodes == 1 ? "node" : "nodes");
}

std::string histogram(const Cluster& cluster, const std::vector<RefusalCount>& nodes) {
  if (nodes.empty()) return "there are no nodes";
  const std::size_t shown = nodes.size() <= kMostRows + 1 ? nodes.size() : kMostRows;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i)
    text += fmt::format("{}{}: {}", i == 0 ? "" : "; ", nodes_text(nodes[i].nodes),
                        text_of(cluster, nodes[i].refusal));
  std::int64_t others = 0;
  for (std::size_t i = shown; i < nodes.size(); ++i) others += nodes[i].nodes;
  return others == 0 ? text : text + "; and " + nodes_text(others) + " for other reasons";
}

std::string short_text(const Cluster& cluster, const NodeRefusal& r) {
  const std::string name = resource_name(cluster, r.kind);
  if (r.wanted == 0 && r.available < 0) return name + " already over-committed";
  if (r.wanted == 0) return "not enough " + name;
  const Unit unit = unit_of(cluster, r.kind, r.wanted);
  return fmt::format("not enough {} ({} requested, {} free)", name,
                     unit.amount(static_cast<double>(r.wanted)),
                     r.available <= 0 ? "none" : "at most " + unit.amount(static_cast<double>(r.available)));
}

// "host port 8080/TCP in use", or "host port in use" if the name is unknown.
std::string with_name(std::string_view before, const std::string& name, std::string_view after) {
  return name.empty() ? fmt::format("{}{}", before, after) : fmt::format("{} {}{}", before, name, after);
}

std::string with_details(std::string text, const std::string& what, const std::string& who) {
  if (what.empty() && who.empty()) return text;
  return fmt::format("{} ({}{}{})", text, what, what.empty() || who.empty() ? "" : ": ", who);
}

std::string larger_text(const NodeRefusal& r) {
  const std::string text = "needs more memory than one GPU has";
  if (r.wanted == 0) return text;
  const Unit unit{1 << 20, "MiB"};  // as annotations have it
  return fmt::format("{} ({} requested, at most {} per GPU)", text,
                     unit.amount(static_cast<double>(r.wanted)),
                     unit.amount(static_cast<double>(r.available)));
}

// ---------------------------------------------------------------- users of a scarce resource

std::string holder_name(const Cluster& cluster, const Holders& holders, QueueId queue) {
  if (queue.valid()) return "queue " + cluster.queue(queue).shown_name();
  std::string names;
  for (const std::string& pod : holders.outsiders) names += (names.empty() ? "" : ", ") + pod;
  const auto more = holders.outsider_count - static_cast<std::int64_t>(holders.outsiders.size());
  return fmt::format("pods outside all queues ({}{})", names, more > 0 ? fmt::format(", {} more", more) : "");
}

// "48 GPUs: 34 in use by queue research, 12 by queue product, 2 by pods outside all queues (kube-system/x),
// none free"
std::string holders_text(const Cluster& cluster, const Holders& holders) {
  const Unit unit = unit_of(cluster, holders.kind, holders.total);
  const auto amount = [&](std::int64_t units) { return unit.amount(static_cast<double>(units)); };
  std::string text = unit.name.empty() ? amount_text(cluster, holders.kind, holders.total)
                                       : fmt::format("{} of {}", amount(holders.total),
                                                     resource_name(cluster, holders.kind));
  const char* by = " in use by ";
  for (const Holders::Share& share : holders.most) {
    text += (by[1] == 'i' ? ": " : ", ") + amount(share.units) + by;
    text += holder_name(cluster, holders, share.queue);
    by = " by ";
  }
  if (holders.others > 0) text += fmt::format(", {} by other queues", amount(holders.others));
  return text + (holders.free == 0 ? ", none free" : fmt::format(", {} free", amount(holders.free)));
}

std::string shortage_text(const Cluster& cluster, const DomainShortage& d) {
  if (d.pods >= 0) return fmt::format("{} has room for {}", d.domain, d.pods);
  if (!d.kind.valid()) return d.domain + " has enough in total, but the pods do not fit its nodes";
  return fmt::format("{} has {} free of {} requested", d.domain,
                     amount_text(cluster, d.kind, std::max<std::int64_t>(d.free, 0)),
                     amount_text(cluster, d.kind, d.wanted));
}

std::string no_node_text(const Cluster& cluster, const JobReason& r) {
  const std::string where = r.pod_set.empty() ? "" : " of sub group " + r.pod_set;
  std::string nodes = (r.domain.empty() ? "" : "in domain " + r.domain + ": ") + histogram(cluster, r.nodes);
  for (const DomainShortage& d : r.domains) nodes += "; closest: " + shortage_text(cluster, d);
  if (r.holders != nullptr) nodes += "; " + holders_text(cluster, *r.holders);
  if (r.is_gang)
    return fmt::format("found room for {} of {} pods that must start together; no room for pod {}{}: {}",
                       r.placed, r.needed, cluster.task(r.task).name, where, nodes);
  return fmt::format("no room for pod {}{}: {}", cluster.task(r.task).name, where, nodes);
}

// "4 pods of sub group workers", "the pod"
std::string pods_text(const JobReason& r) {
  return (r.needed == 1 ? "the pod" : fmt::format("all {} pods", r.needed)) +
         (r.pod_set.empty() ? "" : " of sub group " + r.pod_set);
}

std::string topology_level_text(const JobReason& r) {
  if (r.level.empty()) return fmt::format("names topology \"{}\" but none of its levels", r.name);
  return fmt::format("topology \"{}\" has no level \"{}\" at or below the required one", r.name, r.level);
}

std::string topology_text(const Cluster& cluster, const JobReason& r) {
  std::string text = r.level.empty()
                         ? fmt::format("the nodes of topology {} have no room for {}", r.name, pods_text(r))
                         : fmt::format("no domain at level {} of topology {} has room for {}", r.level,
                                       r.name, pods_text(r));
  const char* separator = ": ";
  for (const DomainShortage& d : r.domains)
    text += std::exchange(separator, ", ") + shortage_text(cluster, d);
  const auto hidden = r.domain_count - static_cast<std::int64_t>(r.domains.size());
  if (hidden > 0) text += fmt::format(", {} {} no more", hidden, hidden == 1 ? "other has" : "others have");
  return r.holders != nullptr ? text + "; " + holders_text(cluster, *r.holders) : text;
}

std::string too_small_text(const JobReason& r) {
  const std::string where = r.level.empty()
                                ? fmt::format("topology {}", r.name)
                                : fmt::format("any domain at level {} of topology {}", r.level, r.name);
  std::string text = fmt::format("{} would not fit into {} even if it were empty", pods_text(r), where);
  for (const DomainShortage& d : r.domains)
    text += fmt::format(": {}, the largest, has room for {}", d.domain, d.pods);
  return text;
}

std::string not_ready_text(const JobReason& r) {
  if (r.needed == 0) return "too few of its sub groups have enough pods";
  const std::string where = r.pod_set.empty() ? "" : " in sub group " + r.pod_set;
  const std::string needs = "needs " + plural(r.needed, "pod", "pods") + where;
  if (r.rule != JobRule::kGatedTasks) return fmt::format("{} and has {}", needs, r.placed);
  if (r.placed == 0) return needs + "; all that exist have scheduling gates";
  return fmt::format("{} and has {} without scheduling gates", needs, r.placed);
}

std::string devices_text(const NodeRefusal& r) {
  if (r.wanted == 0) return fmt::format("claim {}: its devices cannot be selected", r.what);
  return fmt::format("claim {} needs {}, {} free", r.what,
                     plural(static_cast<double>(r.wanted), "matching device", "matching devices"),
                     r.available);
}

std::string zones_text(const Cluster& cluster, const NodeRefusal& r) {
  if (!r.kind.valid()) return "its request cannot be aligned to NUMA zones";
  return fmt::format("no NUMA zone has {} free; the best has {}", amount_text(cluster, r.kind, r.wanted),
                     amount_text(cluster, r.kind, r.available));
}

std::string too_little_text(const Cluster& cluster, const JobReason& r) {
  std::string text = fmt::format("needs {}; evictions could make room for at most {}",
                                 amount_text(Accounted::kGpus, r.wanted), decimal(r.bound));
  for (std::size_t i = 0; i < r.spared.size(); ++i) {
    const double gpus = r.spared[i].held.share(Accounted::kGpus);
    const char* not_evictable = gpus == 1 ? " is not evictable" : " are not evictable";
    text += fmt::format("{}{}{}: {}", i == 0 ? " (" : "; ", amount_text(Accounted::kGpus, gpus),
                        i == 0 ? not_evictable : "", spared_text(cluster, r.spared[i]));
  }
  return r.spared.empty() ? text : text + ")";
}

std::string protected_text(const Cluster& cluster, const JobReason& r) {
  std::string text = "jobs that could make room are still protected: ";
  for (std::size_t i = 0; i < r.spared.size(); ++i)
    text += (i == 0 ? "" : "; ") + spared_text(cluster, r.spared[i]);
  return text;
}

std::string shares_text(const Cluster& cluster, const JobReason& r) {
  const std::string needs =
      fmt::format("needs {} from other queues", amount_text(Accounted::kGpus, r.wanted));
  if (!r.queue.valid()) return needs + "; none of them exceeds its fair share or quota";
  return fmt::format(
      "{}; fair shares and quotas let it take less than {}, most of them from queue {}, which uses {}", needs,
      decimal(r.bound), cluster.queue(r.queue).shown_name(), decimal(r.held));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a case for each rule, in one place
std::string text_of(const Cluster& cluster, const NodeRefusal& refusal) {
  switch (refusal.rule) {
    case NodeRule::kResources:
      return short_text(cluster, refusal);
    case NodeRule::kGpuLargerThanDevice:
      return larger_text(refusal);
    case NodeRule::kQueueCapacity:
      return with_name("its share of this node's GPU would exceed the limit or quota of its queue",
                       refusal.what, "");
    case NodeRule::kNodeType:
      return "does not offer the requested kind of GPU (whole, shared or MIG)";
    case NodeRule::kGpuMemoryUnknown:
      return "has no GPUs, or its GPU memory is unknown";
    case NodeRule::kPodSlots:
      return "too few pod slots for the pod and its GPU reservation";
    case NodeRule::kUnschedulable:
      return "cordoned";
    case NodeRule::kNotReady:
      return "not ready";
    case NodeRule::kMemoryPressure:
      return "under memory pressure";
    case NodeRule::kDiskPressure:
      return "under disk pressure";
    case NodeRule::kPidPressure:
      return "under PID pressure";
    case NodeRule::kNetworkUnavailable:
      return "network unavailable";
    case NodeRule::kHostPorts:
      return with_name("host port", refusal.what, " in use");
    case NodeRule::kTaints:
      return with_name("taint", refusal.what, " not tolerated");
    case NodeRule::kNodeAffinity:
      return "does not match " + (refusal.what.empty() ? "node selector or affinity" : refusal.what);
    case NodeRule::kPodAffinity:
      return with_details("no pod there matches the pod affinity", refusal.what, refusal.who);
    case NodeRule::kPodAntiAffinity:
      return with_details("the pod anti-affinity excludes a pod there", refusal.what, refusal.who);
    case NodeRule::kExistingAntiAffinity:
      return with_details("the anti-affinity of a pod there excludes this pod", refusal.who, refusal.what);
    case NodeRule::kVolumes:
      return with_details(fmt::format("volume claim {} cannot be satisfied there", refusal.what), refusal.who,
                          "");
    case NodeRule::kStorage:
      return fmt::format("storage class {} has {} there, {} requested", refusal.what,
                         amount_text(Accounted::kBytes, static_cast<double>(refusal.available)),
                         amount_text(Accounted::kBytes, static_cast<double>(refusal.wanted)));
    case NodeRule::kVolumeLimit:
      return fmt::format("driver {} can attach {} more volumes there, {} requested", refusal.what,
                         refusal.available, refusal.wanted);
    case NodeRule::kWorkerRole:
      return with_details("lacks the worker role", refusal.what, "");
    case NodeRule::kDevices:
      return devices_text(refusal);
    case NodeRule::kClaimElsewhere:
      return fmt::format("the devices of claim {} are on another node", refusal.what);
    case NodeRule::kSelectorsTooCostly:
      return fmt::format(
          "the selectors of claim {} take {} steps or more, the limit is {}; use simpler selectors",
          refusal.what, refusal.wanted, refusal.available);
    case NodeRule::kSelectorsUnfinished:
      return fmt::format(
          "the selectors of claim {} are not evaluated on all devices yet; the next cycle continues",
          refusal.what);
    case NodeRule::kZones:
      return zones_text(cluster, refusal);
  }
  return "refused";
}

// NOLINTNEXTLINE(readability-function-size): a case for each rule, in one place
std::string text_of(const Cluster& cluster, const JobReason& r) {
  switch (r.rule) {
    case JobRule::kQueueMissing:
      if (r.name.empty()) return "its PodGroup names no queue";
      return fmt::format("queue \"{}\" or one of its parent queues does not exist", r.name);
    case JobRule::kQueueNotLeaf:
      return fmt::format("queue \"{}\" has queues below it; jobs run in leaf queues only", r.name);
    case JobRule::kQueueClosed:
      return fmt::format(
          "queue \"{}\" does not accept jobs from this namespace; its annotation muster.dev/namespaces "
          "lists those that may use it",
          r.name);
    case JobRule::kNotReady:
    case JobRule::kGatedTasks:
      return not_ready_text(r);
    case JobRule::kUnknownSubGroup:
      return fmt::format("{}; a pod names sub group \"{}\", which the job does not have", not_ready_text(r),
                         r.name);
    case JobRule::kBackedOff:
      return "marked unschedulable in this node pool; its schedulingBackoff allows no further attempts here";
    case JobRule::kOverLimit:
    case JobRule::kOverQuota:
      return over_text(cluster, r);
    case JobRule::kNoNode:
      return no_node_text(cluster, r);
    case JobRule::kLargerThanAnyNode:
      return fmt::format("pod {} needs {}; {}", cluster.task(r.task).name,
                         amount_text(cluster, r.kind, static_cast<std::int64_t>(r.wanted)),
                         r.bound == 0 ? "no node has any"
                                      : "the largest node has " +
                                            amount_text(cluster, r.kind, static_cast<std::int64_t>(r.bound)));
    case JobRule::kBadGpuRequest:
      return fmt::format("{} \"{}\" of pod {} must be {}", r.name, r.of, cluster.task(r.task).name,
                         wanted_gpu_value(r.name));
    case JobRule::kConfigMapMissing:
      return fmt::format("ConfigMap \"{}\" does not exist", r.name);
    case JobRule::kVolumeClaimMissing:
      return fmt::format("PersistentVolumeClaim \"{}\" does not exist", r.name);
    case JobRule::kVolumeClaimUnbound:
      return fmt::format("PersistentVolumeClaim \"{}\" is not bound to a volume", r.name);
    case JobRule::kVolumeClaimGoing:
      return fmt::format("PersistentVolumeClaim \"{}\" is being deleted", r.name);
    case JobRule::kVolumeClaimOrphaned:
      return fmt::format("the pod that owns PersistentVolumeClaim \"{}\" no longer exists", r.name);
    case JobRule::kStorageClassMissing:
      return fmt::format("StorageClass \"{}\" of PersistentVolumeClaim \"{}\" does not exist", r.name, r.of);
    case JobRule::kVolumeMissing:
      return fmt::format("PersistentVolume \"{}\" of PersistentVolumeClaim \"{}\" does not exist", r.name,
                         r.of);
    case JobRule::kDeviceClaimMissing:
      return r.name.empty() ? fmt::format("the ResourceClaim for \"{}\" has not been created yet", r.of)
                            : fmt::format("ResourceClaim \"{}\" does not exist", r.name);
    case JobRule::kDeviceClaimFull:
      return fmt::format("ResourceClaim \"{}\" has {} consumers, the maximum", r.name, decimal(r.held));
    case JobRule::kDeviceClaimOfOther:
      return r.of.empty() ? fmt::format("ResourceClaim \"{}\" shares GPUs but has no queue label", r.name)
                          : fmt::format("ResourceClaim \"{}\" shares GPUs of queue {}", r.name, r.of);
    case JobRule::kDeviceClassMissing:
      return fmt::format("DeviceClass \"{}\" of ResourceClaim \"{}\" does not exist", r.name, r.of);
    case JobRule::kDeviceClaimsOff:
      return fmt::format("uses ResourceClaim \"{}\", but dynamic resource allocation is off", r.name);
    case JobRule::kTooManyTerms:
      return fmt::format(
          "namespace {} has more than {} different pod affinity terms for the same label value (or for "
          "none); only those of the oldest pods are served",
          r.name, decimal(r.bound));
    case JobRule::kPreemptionDelay:
      return fmt::format("may not evict other jobs before {}",
                         r.until ? format_time(*r.until) : "its delay is over");
    case JobRule::kTopologyMissing:
      return fmt::format("topology \"{}\" does not exist", r.name);
    case JobRule::kTopologyLevel:
      return topology_level_text(r);
    case JobRule::kTopology:
      return topology_text(cluster, r);
    case JobRule::kTopologyTooSmall:
      return too_small_text(r);
    case JobRule::kTooLittleToFree:
      return too_little_text(cluster, r);
    case JobRule::kSharesInTheWay:
      return shares_text(cluster, r);
    case JobRule::kSearchUnresolved:
      if (r.needed == 0) return "this cycle's search budget is exhausted; retried in the next cycle";
      return fmt::format("the search for victims ended early after {} scenarios; the next cycle continues it",
                         r.needed);
    case JobRule::kProtected:
      return protected_text(cluster, r);
    case JobRule::kBindRefused:
      return fmt::format("pod {} could not be bound: {}; retried {}", r.of, r.name,
                         r.until ? "at " + format_time(*r.until) : "later");
  }
  return "pending";
}

std::string spared_text(const Cluster& cluster, const NotEvictableJobs& spared) {
  if (!spared.until || !spared.first.valid()) return spared.rule;
  const Job& first = cluster.job(spared.first);
  const std::string name = first.ns == "default" ? first.name : first.full_name();
  const std::string others = spared.jobs > 1 ? fmt::format(", then {} more", spared.jobs - 1) : "";
  return fmt::format("{} ({} until {}{})", spared.rule, name, format_time(*spared.until), others);
}

std::string lack_text(const Cluster& cluster, Kind kind, std::int64_t wanted, std::int64_t free) {
  const Unit unit = unit_of(cluster, kind, wanted);
  const std::int64_t there = std::max<std::int64_t>(free, 0);
  const std::string missing = unit.name.empty()
                                  ? amount_text(cluster, kind, wanted - there)
                                  : fmt::format("{} of {}", unit.amount(static_cast<double>(wanted - there)),
                                                resource_name(cluster, kind));
  return fmt::format("{} short ({} of {} free)", missing, unit.number(static_cast<double>(there)),
                     unit.number(static_cast<double>(wanted)));
}

std::string failure_text(const Cluster& cluster, const SearchReport& report) {
  switch (report.end) {
    case SearchEnd::kProven:
      return "no set of victims could make room";
    case SearchEnd::kLikeJob:
      return fmt::format("{} needs the same or less and did not fit", cluster.job(report.like).full_name());
    case SearchEnd::kCutShort:
      return "ended early at a search limit; the next cycle continues it";
    case SearchEnd::kNoScenario:
      break;
  }
  return report.last_failure.empty() ? "no job may be evicted" : report.last_failure;
}

std::string amount_text(Accounted resource, double value) {
  if (value == -1) return "unlimited";
  switch (resource) {
    case Accounted::kCores:
      return plural(value / 1000, "core", "cores");
    case Accounted::kBytes:
      return decimal(value / 1e9) + " GB";
    case Accounted::kGpus:
      return plural(value, "GPU", "GPUs");
  }
  return decimal(value);
}

std::string amount_text(const Cluster& cluster, Kind kind, std::int64_t units) {
  const auto value = static_cast<double>(units);
  if (kind == kCpu) return amount_text(Accounted::kCores, value);
  if (kind == kMemory) return amount_text(Accounted::kBytes, value);
  if (kind == kGpu) return amount_text(Accounted::kGpus, value / static_cast<double>(kOneGpu));
  if (kind == kPods) return plural(value, "pod slot", "pod slots");
  const std::string& name = cluster.kinds().name(kind);
  if (const std::int64_t per_byte = units_per_byte(name); per_byte > 0)
    return amount_text(Accounted::kBytes, value / static_cast<double>(per_byte)) + " of " + name;
  const bool is_whole = name.starts_with("nvidia.com/mig-");
  return decimal(is_whole ? value : value / 1000) + " " + name;
}

}  // namespace muster
