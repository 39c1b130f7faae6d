// Selectors, node terms, taints and tolerations.
#include "manifest/parts.hpp"

#include <fmt/format.h>

#include "manifest/meta.hpp"

namespace muster {
namespace {

Operator operator_of(const Field& field) {
  const std::string_view name = field.text();
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  if (name == "Gt") return Operator::kGt;
  if (name == "Lt") return Operator::kLt;
  field.fail(fmt::format("\"{}\" is not a valid selector operator", name));
  return Operator::kIn;
}

Requirement requirement_of(const Field& expression) {
  Requirement requirement;
  requirement.key = expression["key"].text();
  requirement.op = operator_of(expression["operator"]);
  requirement.values = expression["values"].strings();
  return requirement;
}

void add_requirements(const Field& expressions, std::vector<Requirement>& requirements) {
  expressions.each_object(
      [&](const Field& expression) { requirements.push_back(requirement_of(expression)); });
}

}  // namespace

LabelSelector label_selector_of(const Field& selector) {
  LabelSelector result;
  result.present = selector.is_present();
  for (auto& [key, value] : labels_of(selector["matchLabels"]))
    result.requirements.push_back({key, Operator::kIn, {value}});
  add_requirements(selector["matchExpressions"], result.requirements);
  return result;
}

std::vector<NodeTerm> node_terms_of(const Field& terms) {
  std::vector<NodeTerm> result;
  terms.each_object([&](const Field& term) {
    NodeTerm& added = result.emplace_back();
    add_requirements(term["matchExpressions"], added.labels);
    add_requirements(term["matchFields"], added.fields);
  });
  return result;
}

TaintEffect taint_effect_of(const Field& effect) {
  const std::string_view name = effect.text();
  if (name.empty()) return TaintEffect::kAny;
  if (name == "NoSchedule") return TaintEffect::kNoSchedule;
  if (name == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (name == "NoExecute") return TaintEffect::kNoExecute;
  effect.fail(fmt::format("\"{}\" is not a valid taint effect", name));
  return TaintEffect::kNoSchedule;
}

}  // namespace muster
