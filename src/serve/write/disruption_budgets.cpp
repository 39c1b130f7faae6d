// Parses budgets and counts the disruptions that evicting all pods would take from each.
#include "serve/write/disruption_budgets.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/selectors.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

Operator operator_named(const std::string& name) {
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return Operator::kIn;
}

LabelSelector selector_of(const json& text) {
  LabelSelector selector{.present = text.is_object()};
  if (!selector.present) return selector;
  const json labels = text.value("matchLabels", json::object());
  for (const auto& [key, value] : labels.items())
    selector.requirements.push_back({key, Operator::kIn, {value.get<std::string>()}});
  const json terms = text.value("matchExpressions", json::array());
  for (const json& item : terms)
    selector.requirements.push_back({item.value("key", ""), operator_named(item.value("operator", "")),
                                     item.value("values", std::vector<std::string>())});
  return selector;
}

DisruptionBudget budget_of(const json& object) {
  const json spec = object.value("spec", json::object()), status = object.value("status", json::object());
  return {.selector = selector_of(spec.value("selector", json())),
          .allowed = status.value("disruptionsAllowed", std::int64_t{0})};
}

}  // namespace

std::vector<DisruptionBudget> budgets_in(std::string_view list) {
  std::vector<DisruptionBudget> budgets;
  const json root = json::parse(list, nullptr, false);
  if (!root.is_object()) return budgets;
  const json items = root.value("items", json::array());
  for (const json& object : items) try {
      budgets.push_back(budget_of(object));
    } catch (const json::exception&) {
      budgets.push_back({.selector = {.present = true}});
    }
  return budgets;
}

// A pod with two budgets is protected as well: the API server refuses to evict it.
std::vector<std::size_t> protected_pods(std::span<const DisruptionBudget> budgets,
                                        std::span<const Labels> pods) {
  std::vector<int> budgets_of(pods.size());
  std::vector<bool> is_protected(pods.size());
  for (const DisruptionBudget& budget : budgets) {
    std::vector<std::size_t> covered;
    for (std::size_t i = 0; i < pods.size(); ++i)
      if (matches(budget.selector, pods[i])) covered.push_back(i);
    const bool is_too_much = static_cast<std::int64_t>(covered.size()) > budget.allowed;
    for (const std::size_t i : covered)
      is_protected[i] = is_protected[i] || is_too_much || ++budgets_of[i] > 1;
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < pods.size(); ++i)
    if (is_protected[i]) places.push_back(i);
  return places;
}

}  // namespace muster::serve
