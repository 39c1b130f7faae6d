// Writes every part with its length before it, so that different lists have different texts.
#include "engine/search/constraint_text.hpp"

namespace muster {

const std::string& ConstraintText::of(const Constraints& c) {
  out_.clear();
  for (const auto& [k, v] : c.node_selector) add(k), add(v);
  out_ += '|';
  for (const NodeTerm& t : c.required_affinity) add(t.labels), add(t.fields), out_ += '/';
  out_ += '|';
  for (const Toleration& t : c.tolerations) add(t);
  for (const auto* terms :
       {&c.pod_affinity, &c.pod_anti_affinity, &c.preferred_affinity, &c.preferred_anti_affinity}) {
    out_ += '|';
    for (const PodAffinityTerm& t : *terms) add(t);
  }
  out_ += '|';
  for (const HostPort& p : c.host_ports) add(p.ip), add(p.protocol), out_ += std::to_string(p.port);
  out_ += '|';
  for (const std::string& v : c.volume_claims) add(v);
  add(c.priority_class);
  out_ += std::to_string(c.priority);
  add(c.spread_text);
  for (const auto& [key, value] : c.bad_gpu_requests) add(key), add(value);
  return out_;
}

void ConstraintText::add(const std::vector<Requirement>& requirements) {
  for (const Requirement& r : requirements) {
    add(r.key);
    add(std::to_string(static_cast<int>(r.op)));
    for (const std::string& v : r.values) add(v);
    out_ += ';';
  }
}

void ConstraintText::add(const Toleration& t) {
  add(t.key), add(t.value);
  out_ += t.exists ? 'E' : 'V';
  out_ += std::to_string(static_cast<int>(t.effect));
}

void ConstraintText::add(const PodAffinityTerm& t) {
  add(t.topology_key), add(t.selector.requirements), add(t.namespace_selector.requirements);
  for (const std::string& n : t.namespaces) add(n);
  out_ += std::to_string(t.weight);
}

}  // namespace muster
