// Parts that objects of several kinds share: names, labels, amounts, and the constraints of a pod.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/time.hpp"

namespace muster {

using Labels = std::vector<std::pair<std::string, std::string>>;  // sorted by key

struct Meta {
  std::string ns;  // "" for cluster-scoped objects, "default" for a namespaced object without one
  std::string name;
  std::string uid;  // "namespace/name" if the object has none
  TimePoint created{};
  Labels labels;
};

// Null if the label is missing.
inline const std::string* find_label(const Labels& labels, std::string_view key) {
  for (const auto& [k, v] : labels)
    if (k == key) return &v;
  return nullptr;
}

// A problem with an object that the source should report to the user once.
struct ObjectWarning {
  std::string object, field, message;
};

struct NamedAmount {
  std::string name;  // as in the API: "cpu", "nvidia.com/mig-1g.5gb"
  std::int64_t units = 0;
  bool operator==(const NamedAmount&) const = default;
};

// The NUMA zone of a pod's CPUs, memory and devices, as recorded in an annotation.
struct ZoneRecord {
  std::string zone;
  std::vector<NamedAmount> amounts;
};

// The key of an object: "namespace/name", or the name for cluster-scoped kinds.
inline std::string key_of(std::string_view ns, std::string_view name) {
  if (ns.empty()) return std::string(name);
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  return key.append(ns).append(1, '/').append(name);
}

// ---------------------------------------------------------------- constraints of a pod

enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kDoesNotExist, kGt, kLt };

struct Requirement {  // of node affinity or a label selector
  std::string key;
  Operator op = Operator::kIn;
  std::vector<std::string> values;
  bool operator==(const Requirement&) const = default;
};

struct NodeTerm {  // all requirements must match; an empty term matches nothing
  std::vector<Requirement> labels;
  std::vector<Requirement> fields;  // metadata.name
  bool operator==(const NodeTerm&) const = default;
};

struct LabelSelector {  // absent: matches nothing; empty: matches everything
  bool present = false;
  std::vector<Requirement> requirements;  // matchLabels become In with one value
  bool operator==(const LabelSelector&) const = default;
};

struct PodAffinityTerm {
  LabelSelector selector;
  std::string topology_key;
  // With neither these nor a namespace selector: the pod's own namespace.
  std::vector<std::string> namespaces;
  LabelSelector namespace_selector;
  std::int32_t weight = 0;  // used for preferred terms only
  bool operator==(const PodAffinityTerm&) const = default;
};

enum class TaintEffect : std::uint8_t { kAny, kNoSchedule, kPreferNoSchedule, kNoExecute };

struct Taint {
  std::string key, value;
  TaintEffect effect = TaintEffect::kNoSchedule;
  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key, value;
  bool exists = false;  // operator Exists; with an empty key it tolerates everything
  TaintEffect effect = TaintEffect::kAny;
  bool operator==(const Toleration&) const = default;
};

struct HostPort {
  std::string ip, protocol;  // "0.0.0.0" and "TCP" by default
  std::int32_t port = 0;
  bool operator==(const HostPort&) const = default;
};

struct ClaimReference {  // spec.resourceClaims[]
  std::string name;      // name inside the pod
  std::string claim;     // ResourceClaim in the pod's namespace; for a template: the generated name, or ""
  bool from_template = false;
  // Serves requests that containers state as amounts (extended_resources.hpp).
  bool of_containers = false;
  bool unless_offered = false;  // not needed on nodes that offer such amounts
  bool operator==(const ClaimReference&) const = default;
};

// Everything about a pod, except amounts, that decides where it may go. Pods with equal constraints share one
// copy.
struct Constraints {
  std::vector<std::pair<std::string, std::string>> node_selector;  // sorted
  bool has_required_affinity = false;
  std::vector<NodeTerm> required_affinity;  // one of the terms must match
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
  std::vector<PodAffinityTerm> pod_affinity, pod_anti_affinity;  // required
  std::vector<PodAffinityTerm> preferred_affinity, preferred_anti_affinity;
  std::vector<std::string> volume_claims;  // PersistentVolumeClaims, including ephemeral ones
  std::vector<std::string> config_maps;    // referenced and not optional
  std::vector<ClaimReference> resource_claims;
  std::string priority_class;  // spec.priorityClassName and spec.priority: used only by
  std::int32_t priority = 0;   // the failed-job pool (actions.md 10)
  // Annotations and resources with what they should say about GPUs but do not, by key; the values as written.
  std::vector<std::pair<std::string, std::string>> bad_gpu_requests;
  bool has_spread_constraints = false;
  std::string spread_text;  // the constraints as text, only compared
  bool operator==(const Constraints&) const = default;
};

}  // namespace muster
