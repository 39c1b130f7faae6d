// The values of expressions.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace muster::cel {

// An evaluation that has no result, and why. Made by failure().
struct Failure {
  std::string why;
};

struct Quantity {
  std::int64_t thousandths = 0;
  auto operator<=>(const Quantity&) const = default;
};

// A version as defined by Semantic Versioning 2.0.0. The part after a plus sign is ignored.
struct Version {
  std::int64_t major = 0, minor = 0, patch = 0;
  std::vector<std::string> pre_release;  // empty: the release itself, which is greater than its pre-releases

  static std::optional<Version> parse(std::string_view text);
  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == std::strong_ordering::equal; }
};

// `device`, one of its two maps, or the entry of such a map for a domain.
struct DevicePart {
  enum class What : std::uint8_t { kDevice, kAttributes, kCapacities, kAttributesOf, kCapacitiesOf };
  What what = What::kDevice;
  std::string domain;
  bool operator==(const DevicePart&) const = default;
};

struct Value;
using List = std::vector<Value>;

// A value that may be absent.
struct Optional {
  std::shared_ptr<const Value> value;  // null: absent
};

struct Value
    : std::variant<Failure, bool, std::int64_t, std::string, Quantity, Version, DevicePart, List, Optional> {
  using variant::variant;
  template <class T>
  const T* as() const {
    return std::get_if<T>(this);
  }
  bool failed() const { return as<Failure>() != nullptr; }
};

inline Optional present(Value value) { return {std::make_shared<const Value>(std::move(value))}; }
// Keeps only the beginning of a long text.
Value failure(std::string_view why);
// "text", "a number": for messages.
std::string_view type_name(const Value& value);
// Values of different types are not equal. REQUIRES: neither value is a Failure.
bool equal(const Value& a, const Value& b);

}  // namespace muster::cel
