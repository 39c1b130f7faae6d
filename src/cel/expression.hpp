// Selectors of devices, in the part of the Common Expression Language that they need:
//
//   device.attributes["gpu.example.com"].model.lowerAscii().matches("^a100") &&
//       device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0
//
// Truth values, whole numbers, text, quantities, semantic versions, lists, optional values (.? [?]
// orValue());
// && || ! ?: == != < <= > >= in + - * / %; has(), size(), quantity(), semver(), int(), string(), bool(),
// cel.bind(), the macros all, exists, exists_one, map, filter and optMap, sets.*, and the methods of text,
// lists, quantities and versions. What is outside of it (fractions, times, map literals, addresses) is
// refused when the text is parsed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cel/value.hpp"
#include "util/result.hpp"

namespace muster::cel {

// The device that an expression looks at.
class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view driver() const = 0;
  // Nothing: the device has no such attribute.
  virtual std::optional<Value> attribute(std::string_view domain, std::string_view id) const = 0;
  virtual std::optional<Quantity> capacity(std::string_view domain, std::string_view id) const = 0;
  // Of a map: domains of attributes or capacities, ids within a domain; in order.
  virtual std::vector<std::string> keys(const DevicePart& part) const = 0;
};

struct Node;

class Expression {
 public:
  // The error says at which character, counted from 1, the text can not be understood.
  static Result<Expression> parse(std::string_view text);
  // True or false, or why neither.
  Value evaluate(const Device& device) const;

 private:
  explicit Expression(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace muster::cel
