// Selectors, tolerations, host ports.
#include "model/selectors.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace muster {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

bool is_listed(const Requirement& r, const std::string* value) {
  return value != nullptr && std::find(r.values.begin(), r.values.end(), *value) != r.values.end();
}

bool is_beyond_bound(const Requirement& r, const std::string* value) {
  if (value == nullptr || r.values.size() != 1) return false;
  const auto number = whole_number(*value), bound = whole_number(r.values.front());
  if (!number || !bound) return false;
  return r.op == Operator::kGt ? *number > *bound : *number < *bound;
}

bool matches_field(const Requirement& r, const Node& node) {
  return r.key == "metadata.name" && matches(r, &node.name);
}

bool matches_term(const NodeTerm& term, const Node& node) {
  if (term.labels.empty() && term.fields.empty()) return false;
  return std::all_of(term.labels.begin(), term.labels.end(),
                     [&](const Requirement& r) { return matches(r, node.label(r.key)); }) &&
         std::all_of(term.fields.begin(), term.fields.end(),
                     [&](const Requirement& r) { return matches_field(r, node); });
}

bool keeps_pods_away(const Taint& taint) {
  return taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
}

bool is_every_address(const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; }

}  // namespace

bool matches(const Requirement& r, const std::string* value) {
  switch (r.op) {
    case Operator::kIn:
      return is_listed(r, value);
    case Operator::kNotIn:
      return !is_listed(r, value);
    case Operator::kExists:
      return value != nullptr;
    case Operator::kDoesNotExist:
      return value == nullptr;
    case Operator::kGt:
    case Operator::kLt:
      return is_beyond_bound(r, value);
  }
  return false;
}

bool matches(const LabelSelector& selector, const Labels& labels) {
  return selector.present &&
         std::all_of(selector.requirements.begin(), selector.requirements.end(),
                     [&](const Requirement& r) { return matches(r, find_label(labels, r.key)); });
}

bool matches_any(std::span<const NodeTerm> terms, const Node& node) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeTerm& t) { return matches_term(t, node); });
}

bool selects(const Constraints& constraints, const Node& node) {
  for (const auto& [key, wanted] : constraints.node_selector)
    if (const std::string* value = node.label(key); value == nullptr || *value != wanted) return false;
  return !constraints.has_required_affinity || matches_any(constraints.required_affinity, node);
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.effect != TaintEffect::kAny && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  return toleration.exists || toleration.value == taint.value;
}

bool tolerates_all(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
  return not_tolerated(tolerations, taints) == nullptr;
}

const Taint* not_tolerated(std::span<const Toleration> tolerations, std::span<const Taint> taints) {
  const auto at = std::find_if(taints.begin(), taints.end(), [&](const Taint& taint) {
    return keeps_pods_away(taint) &&
           std::none_of(tolerations.begin(), tolerations.end(),
                        [&](const Toleration& toleration) { return tolerates(toleration, taint); });
  });
  return at == taints.end() ? nullptr : &*at;
}

bool collide(const HostPort& a, const HostPort& b) {
  return a.port > 0 && a.port == b.port && a.protocol == b.protocol &&
         (a.ip == b.ip || is_every_address(a.ip) || is_every_address(b.ip));
}

bool collide(std::span<const HostPort> a, std::span<const HostPort> b) { return colliding(a, b) != nullptr; }

const HostPort* colliding(std::span<const HostPort> a, std::span<const HostPort> b) {
  const auto at = std::find_if(a.begin(), a.end(), [&](const HostPort& x) {
    return std::any_of(b.begin(), b.end(), [&](const HostPort& y) { return collide(x, y); });
  });
  return at == a.end() ? nullptr : &*at;
}

}  // namespace muster
