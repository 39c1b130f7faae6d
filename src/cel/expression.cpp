// Evaluates the tree of an expression on a device; the first Failure is the result.
#include "cel/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cel/evaluation.hpp"
#include "cel/functions.hpp"
#include "cel/syntax.hpp"

namespace muster::cel {
namespace {

using Kind = Node::Kind;
using What = DevicePart::What;

constexpr std::size_t kLongest = std::size_t{10} * 1024;  // as the API has it
constexpr std::int64_t kStepsToLookUp = 4;                // an entry of a device, among several
constexpr std::int64_t kMostStepsToFold = 20'000;         // also bounds the memory of the values

class Evaluation {
 public:
  Evaluation(const Device& device, Steps& steps) : device_(device), steps_(steps) {}

  // Lists within lists can grow exponentially, so every value inside a result counts as a step.
  Value of(const Node& node) {
    if (!steps_.take(1)) return too_many_steps(steps_);
    Value value = value_of(node);
    if (steps_.are_used_up() || !steps_.take(steps_over(value, steps_.left()))) return too_many_steps(steps_);
    return value;
  }

 private:
  Value value_of(const Node& node) {
    switch (node.kind) {
      case Kind::kLiteral:
        return node.value;
      case Kind::kList:
        return list(node);
      case Kind::kName:
        return named(node.text);
      case Kind::kMember:
        return member_of(of(node.parts[0]), node.text);
      case Kind::kIndex:
        return indexed(of(node.parts[0]), of(node.parts[1]));
      case Kind::kOptional:
        return if_there(node.parts[0]);
      case Kind::kCall:
        return called(node);
      case Kind::kMethod:
        return method(node);
      case Kind::kHas:
        return has(of(node.parts[0].parts[0]), node.parts[0].text);
      case Kind::kBind:
        return bound(node);
      case Kind::kMacro:
        return macro(node);
      case Kind::kUnary:
        return unary(node);
      case Kind::kBinary:
        return binary(node);
      case Kind::kCondition:
        return condition(node);
    }
    return failure("not an expression");
  }

  Value list(const Node& node) {
    List items;
    for (const Node& part : node.parts) {
      items.push_back(of(part));
      if (items.back().failed()) return items.back();
    }
    return items;
  }

  Value named(const std::string& name) const {
    for (auto at = names_.rbegin(); at != names_.rend(); ++at)
      if (at->first == name) return at->second;
    if (name == "device") return DevicePart{};
    return failure(fmt::format("\"{}\" is not known", name));
  }

  // ---- the device

  std::optional<Value> entry(const DevicePart& part, const std::string& id) {
    steps_.take(kStepsToLookUp);
    switch (part.what) {
      case What::kDevice:
        if (id == "driver") return std::string(device_.driver());
        if (id == "attributes") return DevicePart{What::kAttributes, ""};
        if (id == "capacity") return DevicePart{What::kCapacities, ""};
        return std::nullopt;
      case What::kAttributes:
        return DevicePart{What::kAttributesOf, id};
      case What::kCapacities:
        return DevicePart{What::kCapacitiesOf, id};
      case What::kAttributesOf:
        return device_.attribute(part.domain, id);
      case What::kCapacitiesOf:
        if (const auto capacity = device_.capacity(part.domain, id)) return *capacity;
        return std::nullopt;
    }
    return std::nullopt;
  }

  List keys_of(const DevicePart& part) {
    List keys;
    for (std::string& key : device_.keys(part)) keys.emplace_back(std::move(key));
    steps_.take(kStepsToLookUp * std::ssize(keys));
    return keys;
  }

  Value member_of(const Value& target, const std::string& id) {
    if (target.failed()) return target;
    if (const auto* optional = target.as<Optional>()) return optional_entry(*optional, id);
    const auto* part = target.as<DevicePart>();
    if (part == nullptr) return failure(fmt::format("{} has no member \"{}\"", type_name(target), id));
    if (auto found = entry(*part, id)) return *std::move(found);
    return failure(
        fmt::format("the device has no \"{}\"", part->domain.empty() ? id : part->domain + "/" + id));
  }

  Value indexed(const Value& target, const Value& key) {
    if (target.failed()) return target;
    if (key.failed()) return key;
    if (const auto* optional = target.as<Optional>())
      return optional->value ? optional_of(indexed(*optional->value, key)) : target;
    if (const auto* id = key.as<std::string>()) return member_of(target, *id);
    const auto* items = target.as<List>();
    const auto* at = key.as<std::int64_t>();
    if (items == nullptr || at == nullptr)
      return failure(fmt::format("{} has no entry for {}", type_name(target), type_name(key)));
    if (*at < 0 || static_cast<std::size_t>(*at) >= items->size())
      return failure("the list has no such entry");
    return (*items)[static_cast<std::size_t>(*at)];
  }

  // ---- optional values

  static Value optional_of(Value value) { return value.failed() ? value : Value(present(std::move(value))); }

  Value optional_entry(const Optional& optional, const std::string& id) {
    if (!optional.value) return optional;
    const auto* part = optional.value->as<DevicePart>();
    if (part == nullptr)
      return failure(fmt::format("{} has no member \"{}\"", type_name(*optional.value), id));
    auto found = entry(*part, id);
    return found ? optional_of(*std::move(found)) : Value(Optional{});
  }

  // A member or an index.
  Value if_there(const Node& node) {
    Value target = of(node.parts[0]);
    if (target.failed()) return target;
    const auto* known = target.as<Optional>();
    const Optional optional = known != nullptr ? *known : present(target);
    if (node.kind == Kind::kMember) return optional_entry(optional, node.text);
    const Value key = of(node.parts[1]);
    if (key.failed()) return key;
    if (const auto* id = key.as<std::string>()) return optional_entry(optional, *id);
    const auto* items = optional.value ? optional.value->as<List>() : nullptr;
    const auto* at = key.as<std::int64_t>();
    if (optional.value == nullptr) return optional;
    if (items == nullptr || at == nullptr) return indexed(*optional.value, key);
    const bool is_there = *at >= 0 && static_cast<std::size_t>(*at) < items->size();
    return is_there ? Value(present((*items)[static_cast<std::size_t>(*at)])) : Value(Optional{});
  }

  Value has(const Value& target, const std::string& id) {
    if (target.failed()) return target;
    const auto* part = target.as<DevicePart>();
    if (part == nullptr) return failure(fmt::format("{} has no members", type_name(target)));
    return entry(*part, id).has_value();
  }

  Value contained(const Value& item, const Value& in) {
    if (const auto* items = in.as<List>())
      return std::any_of(items->begin(), items->end(),
                         [&](const Value& other) { return equal(item, other); });
    const auto* part = in.as<DevicePart>();
    const auto* id = item.as<std::string>();
    if (part != nullptr && id != nullptr) return entry(*part, *id).has_value();
    return failure(fmt::format("{} cannot be looked for in {}", type_name(item), type_name(in)));
  }

  // ---- calls

  Value called(const Node& node) {
    std::vector<Value> values;
    for (const Node& part : node.parts) {
      values.push_back(of(part));
      if (values.back().failed()) return values.back();
    }
    const auto* part = values.size() == 1 ? values[0].as<DevicePart>() : nullptr;
    if (part != nullptr && node.text == "size") return std::int64_t{std::ssize(keys_of(*part))};
    return call_function(node.text, values, steps_);
  }

  Value method(const Node& node) {
    std::vector<Value> values;
    for (const Node& part : node.parts) {
      values.push_back(of(part));
      if (values.back().failed()) return values.back();
    }
    return call_method(node.text, values[0], std::span(values).subspan(1), steps_);
  }

  Value bound(const Node& node) {
    names_.emplace_back(node.text, of(node.parts[0]));
    Value result = of(node.parts[1]);
    names_.pop_back();
    return result;
  }

  // ---- macros: they evaluate their body for each item of a list, or each key of a map

  Value macro(const Node& node) {
    const Value target = of(node.parts[0]);
    if (target.failed()) return target;
    const std::string& name = *node.value.as<std::string>();
    if (name == "optMap") return opt_mapped(target, node);
    const auto* part = target.as<DevicePart>();
    const auto* list = target.as<List>();
    if (part == nullptr && list == nullptr)
      return failure(fmt::format("{} does not work on {}", name, type_name(target)));
    const List keys = part != nullptr ? keys_of(*part) : List();
    const List& items = list != nullptr ? *list : keys;
    if (name == "all" || name == "exists") return quantified(items, node, name == "exists");
    if (name == "filter") return filtered(items, node);
    return name == "map" ? mapped(items, node) : exactly_one(items, node);
  }

  Value with_item(const Node& node, const Value& item, std::size_t body = 1) {
    names_.emplace_back(node.text, item);
    Value result = of(node.parts[body]);
    names_.pop_back();
    return result;
  }

  Value truth_of(const Node& node, const Value& item, std::size_t body = 1) {
    Value result = with_item(node, item, body);
    return result.failed() || result.as<bool>() != nullptr ? result : failure("a macro takes a truth value");
  }

  // A single item can decide, even if the evaluation of others fails.
  Value quantified(const List& items, const Node& node, bool decisive) {
    Value result = !decisive;
    for (const Value& item : items) {
      Value truth = truth_of(node, item);
      if (truth.failed())
        result = std::move(truth);
      else if (*truth.as<bool>() == decisive)
        return decisive;
    }
    return result;
  }

  Value exactly_one(const List& items, const Node& node) {
    int found = 0;
    for (const Value& item : items) {
      const Value truth = truth_of(node, item);
      if (truth.failed()) return truth;
      found += *truth.as<bool>();
    }
    return found == 1;
  }

  Value filtered(const List& items, const Node& node) {
    List kept;
    for (const Value& item : items) {
      const Value truth = truth_of(node, item);
      if (truth.failed()) return truth;
      if (*truth.as<bool>()) kept.push_back(item);
    }
    return kept;
  }

  // With three parts, the first selects the items.
  Value mapped(const List& items, const Node& node) {
    List results;
    for (const Value& item : items) {
      if (node.parts.size() == 3) {
        const Value truth = truth_of(node, item);
        if (truth.failed()) return truth;
        if (!*truth.as<bool>()) continue;
      }
      results.push_back(with_item(node, item, node.parts.size() - 1));
      if (results.back().failed()) return results.back();
    }
    return results;
  }

  Value opt_mapped(const Value& target, const Node& node) {
    const auto* optional = target.as<Optional>();
    if (optional == nullptr) return failure(fmt::format("optMap does not work on {}", type_name(target)));
    return optional->value ? optional_of(with_item(node, *optional->value)) : target;
  }

  // ---- operators

  Value unary(const Node& node) {
    const Value value = of(node.parts[0]);
    if (value.failed()) return value;
    const auto* truth = value.as<bool>();
    if (node.text == "!") return truth != nullptr ? Value(!*truth) : failure("! takes a truth value");
    if (value.as<std::int64_t>() == nullptr) return failure("- takes a number");
    return apply_operator("-", std::int64_t{0}, value);
  }

  Value binary(const Node& node) {
    if (node.text == "&&" || node.text == "||") return logic(node, node.text == "||");
    const Value left = of(node.parts[0]);
    if (left.failed()) return left;
    const Value right = of(node.parts[1]);
    if (right.failed()) return right;
    return node.text == "in" ? contained(left, right) : apply_operator(node.text, left, right);
  }

  // Either side can decide, even if the evaluation of the other fails.
  Value logic(const Node& node, bool decisive) {
    const Value left = of(node.parts[0]);
    if (const auto* truth = left.as<bool>(); truth != nullptr && *truth == decisive) return left;
    const Value right = of(node.parts[1]);
    if (const auto* truth = right.as<bool>(); truth != nullptr && *truth == decisive) return right;
    for (const Value* side : {&left, &right}) {
      if (side->failed()) return *side;
      if (side->as<bool>() == nullptr) return failure(fmt::format("{} takes truth values", node.text));
    }
    return !decisive;
  }

  Value condition(const Node& node) {
    const Value value = of(node.parts[0]);
    if (value.failed()) return value;
    const auto* truth = value.as<bool>();
    if (truth == nullptr) return failure("? takes a truth value");
    return of(node.parts[*truth ? 1 : 2]);
  }

  const Device& device_;
  Steps& steps_;
  std::vector<std::pair<std::string, Value>> names_;
};

}  // namespace

Value value_of(const Node& node, const Device& device, Steps& steps) {
  return Evaluation(device, steps).of(node);
}

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > kLongest) return Error{"the expression is too long", {}};
  const auto tokens = tokens_of(text);
  if (!tokens) return tokens.error();
  auto tree = tree_of(*tokens);
  if (!tree) return tree.error();
  Steps steps(kMostStepsToFold);
  fold_constants(*tree, steps);
  return Expression(std::make_shared<const Node>(*std::move(tree)), steps.taken());
}

Evaluated Expression::evaluate(const Device& device) const {
  Steps steps(kMostSteps);
  Value value = value_of(*root_, device, steps);
  if (!value.failed() && value.as<bool>() == nullptr)
    value = failure(fmt::format("the expression gives {}, no truth value", type_name(value)));
  return {.value = std::move(value), .steps = steps.taken(), .is_over_limit = steps.are_used_up()};
}

}  // namespace muster::cel
