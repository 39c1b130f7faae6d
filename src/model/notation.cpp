// Short notations; long lists are truncated.
#include "model/notation.hpp"

#include <fmt/format.h>

#include "model/selectors.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostValues = 5;

const char* word_of(TaintEffect effect) {
  switch (effect) {
    case TaintEffect::kNoSchedule:
      return "NoSchedule";
    case TaintEffect::kPreferNoSchedule:
      return "PreferNoSchedule";
    case TaintEffect::kNoExecute:
      return "NoExecute";
    case TaintEffect::kAny:
      break;
  }
  return "";
}

const char* word_of(Operator op) {
  switch (op) {
    case Operator::kIn:
      return "In";
    case Operator::kNotIn:
      return "NotIn";
    case Operator::kExists:
      return "Exists";
    case Operator::kDoesNotExist:
      return "DoesNotExist";
    case Operator::kGt:
      return "Gt";
    case Operator::kLt:
      return "Lt";
  }
  return "";
}

std::string value_list(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size() && i < kMostValues; ++i) text += (i == 0 ? "" : ", ") + values[i];
  return values.size() > kMostValues ? fmt::format("{}, … {} more", text, values.size() - kMostValues) : text;
}

void append_list(const std::vector<Requirement>& requirements, std::string& text) {
  for (const Requirement& r : requirements) text += (text.empty() ? "" : ", ") + notation(r);
}

// The first requirement of the term that does not hold; null if there is none.
const Requirement* unmet_requirement(const NodeTerm& term, const Node& node) {
  for (const Requirement& r : term.labels)
    if (!matches(r, node.label(r.key))) return &r;
  for (const Requirement& r : term.fields)
    if (r.key != "metadata.name" || !matches(r, &node.name)) return &r;
  return nullptr;
}

}  // namespace

std::string notation(const Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + word_of(taint.effect);
}

std::string notation(const Requirement& r) {
  const std::string head = fmt::format("{} {}", r.key, word_of(r.op));
  if (r.op == Operator::kExists || r.op == Operator::kDoesNotExist) return head;
  if (r.op == Operator::kGt || r.op == Operator::kLt) return head + " " + value_list(r.values);
  return fmt::format("{} [{}]", head, value_list(r.values));
}

std::string notation(const NodeTerm& term) {
  std::string text;
  append_list(term.labels, text);
  append_list(term.fields, text);
  return text.empty() ? "an empty term" : text;
}

std::string notation(const LabelSelector& selector) {
  std::string text;
  for (const Requirement& r : selector.requirements) {
    const bool is_plain = r.op == Operator::kIn && r.values.size() == 1;
    text += (text.empty() ? "" : ", ") + (is_plain ? r.key + "=" + r.values.front() : notation(r));
  }
  return text.empty() ? selector.present ? "any pod" : "no pod" : text;
}

std::string notation(const PodAffinityTerm& term) {
  return notation(term.selector) + " by " + term.topology_key;
}

std::string notation(const HostPort& port) {
  const bool is_everywhere = port.ip.empty() || port.ip == "0.0.0.0";
  return fmt::format("{}{}/{}", is_everywhere ? "" : port.ip + ":", port.port, port.protocol);
}

// If there are several affinity terms, any of them would suffice; only the first is shown.
std::string unmet_notation(const Constraints& c, const Node& node) {
  for (const auto& [key, wanted] : c.node_selector)
    if (const std::string* value = node.label(key); value == nullptr || *value != wanted)
      return fmt::format("nodeSelector {}={}", key, wanted);
  if (!c.has_required_affinity || matches_any(c.required_affinity, node)) return "";
  if (c.required_affinity.empty()) return "affinity: no terms";
  const NodeTerm& first = c.required_affinity.front();
  const std::size_t more = c.required_affinity.size() - 1;
  if (more > 0)
    return fmt::format("affinity: {}, nor {} other {}", notation(first), more, more == 1 ? "term" : "terms");
  const Requirement* unmet = unmet_requirement(first, node);
  return "affinity: " + (unmet == nullptr ? notation(first) : notation(*unmet));
}

}  // namespace muster
