// Device selectors, written in a subset of the Common Expression Language:
//
//   device.attributes["gpu.example.com"].model.lowerAscii().matches("^a100") &&
//       device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0
//
// The subset contains:
//
// - values: booleans, integers, strings, quantities, semantic versions, lists, optional values (.? [?]
//   orValue());
// - operators: && || ! ?: == != < <= > >= in + - * / %;
// - functions: has(), size(), quantity(), semver(), int(), string(), bool(), cel.bind(), sets.*, and the
//   methods of strings, lists, quantities and versions;
// - macros: all, exists, exists_one, map, filter, optMap.
//
// The parser refuses everything else, such as fractions, times, map literals and addresses.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/value.hpp"
#include "util/result.hpp"

namespace muster::cel {

// The device that an expression is evaluated on.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view driver() const = 0;
  // Returns nullopt if the device has no such attribute.
  virtual std::optional<Value> attribute(std::string_view domain, std::string_view id) const = 0;
  virtual std::optional<Quantity> capacity(std::string_view domain, std::string_view id) const = 0;
  // Returns the sorted keys of a map: the domains of attributes or capacities, or the ids within a domain.
  virtual std::vector<std::string> keys(const DevicePart& part) const = 0;
};

// The limit for one evaluation on one device. Usual selectors take 20 to 60 steps; nested macros multiply.
inline constexpr std::int64_t kMostSteps = 100'000;

struct Evaluated {
  Value value = false;  // true or false, or why neither
  // How much work it was: the same each time, on any machine.
  std::int64_t steps = 0;
  bool is_over_limit = false;  // ended after kMostSteps; then `value` says so
};

struct Node;

class Expression {
 public:
  // The error says at which character, counted from 1, the text cannot be understood. Parts of the expression
  // that do not depend on the device are evaluated here.
  static Result<Expression> parse(std::string_view text);
  Evaluated evaluate(const Device& device) const;
  // What those parts took.
  std::int64_t folding_steps() const { return folding_steps_; }

 private:
  Expression(std::shared_ptr<const Node> root, std::int64_t folding_steps)
      : root_(std::move(root)), folding_steps_(folding_steps) {}
  std::shared_ptr<const Node> root_;
  std::int64_t folding_steps_ = 0;
};

}  // namespace muster::cel
