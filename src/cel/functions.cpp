// What each function, method and operator gives; on values that it is not made for, a Failure.
#include "cel/functions.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <limits>

#include "util/quantity.hpp"

namespace muster::cel {
namespace {

Value no_overload(std::string_view name, const Value& value) {
  return failure(fmt::format("{} does not work on {}", name, type_name(value)));
}

std::string with_ascii(std::string text, char from, char to, int shift) {
  for (char& c : text)
    if (c >= from && c <= to) c = static_cast<char>(c + shift);
  return text;
}

// Code points.
std::int64_t length_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Value size_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return length_of(*text);
  if (const auto* list = value.as<List>()) return static_cast<std::int64_t>(list->size());
  return no_overload("size", value);
}

Value quantity_of(const std::string& text) {
  const auto parsed = quantity_milli(text);
  if (!parsed) return failure(fmt::format("\"{}\" is not a quantity", text));
  return Quantity{*parsed};
}

Value version_of(const std::string& text) {
  auto parsed = Version::parse(text);
  if (!parsed) return failure(fmt::format("\"{}\" is not a semantic version", text));
  return *std::move(parsed);
}

Value matches(const std::string& text, const std::string& pattern) {
  const RE2 expression(pattern, RE2::Quiet);
  if (!expression.ok()) return failure(fmt::format("\"{}\" is not a regular expression", pattern));
  return RE2::PartialMatch(text, expression);
}

// ---------------------------------------------------------------- methods

Value text_method(const std::string& name, const std::string& text, std::span<const Value> arguments) {
  if (arguments.empty()) {
    if (name == "lowerAscii") return with_ascii(text, 'A', 'Z', 'a' - 'A');
    if (name == "upperAscii") return with_ascii(text, 'a', 'z', 'A' - 'a');
    return failure(fmt::format("text has no {}()", name));
  }
  const auto* other = arguments.size() == 1 ? arguments[0].as<std::string>() : nullptr;
  if (other == nullptr) return failure(fmt::format("{} takes one text", name));
  if (name == "startsWith") return text.starts_with(*other);
  if (name == "endsWith") return text.ends_with(*other);
  if (name == "contains") return text.find(*other) != std::string::npos;
  if (name == "matches") return matches(text, *other);
  return failure(fmt::format("text has no {}()", name));
}

template <class T>
std::optional<Value> comparison(const std::string& name, const T& value, std::span<const Value> arguments) {
  const T* other = arguments.size() == 1 ? arguments[0].as<T>() : nullptr;
  if (other == nullptr) return std::nullopt;
  if (name == "isLessThan") return value < *other;
  if (name == "isGreaterThan") return value > *other;
  if (name == "compareTo") return std::int64_t{value < *other ? -1 : value > *other ? 1 : 0};
  return std::nullopt;
}

Value quantity_method(const std::string& name, Quantity quantity, std::span<const Value> arguments) {
  if (auto result = comparison(name, quantity, arguments)) return *std::move(result);
  const bool is_whole = quantity.thousandths % 1000 == 0;
  if (!arguments.empty()) return failure(fmt::format("{} takes a quantity", name));
  if (name == "isInteger") return is_whole;
  if (name == "sign") return std::int64_t{(quantity.thousandths > 0) - (quantity.thousandths < 0)};
  if (name == "asInteger" && is_whole) return quantity.thousandths / 1000;
  return failure(name == "asInteger" ? "the quantity is not a whole number"
                                     : fmt::format("a quantity has no {}()", name));
}

Value version_method(const std::string& name, const Version& version, std::span<const Value> arguments) {
  if (auto result = comparison(name, version, arguments)) return *std::move(result);
  if (!arguments.empty()) return failure(fmt::format("{} takes a version", name));
  if (name == "major") return version.major;
  if (name == "minor") return version.minor;
  if (name == "patch") return version.patch;
  return failure(fmt::format("a version has no {}()", name));
}

// ---------------------------------------------------------------- operators

Value arithmetic(char sign, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if ((sign == '/' || sign == '%') && right == 0) return failure("division by zero");
  const bool overflows = sign == '+'   ? __builtin_add_overflow(left, right, &result)
                         : sign == '-' ? __builtin_sub_overflow(left, right, &result)
                         : sign == '*' ? __builtin_mul_overflow(left, right, &result)
                                       : left == std::numeric_limits<std::int64_t>::min() && right == -1;
  if (overflows) return failure("the number is too large");
  if (sign == '/') result = left / right;
  if (sign == '%') result = left % right;
  return result;
}

template <class T>
bool ordered(const std::string& sign, const T& left, const T& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  return sign == ">" ? left > right : left >= right;
}

Value ordering(const std::string& sign, const Value& left, const Value& right) {
  if (left.index() == right.index()) {
    if (const auto* number = left.as<std::int64_t>())
      return ordered(sign, *number, *right.as<std::int64_t>());
    if (const auto* text = left.as<std::string>()) return ordered(sign, *text, *right.as<std::string>());
    if (const auto* truth = left.as<bool>()) return ordered(sign, *truth, *right.as<bool>());
  }
  return failure(fmt::format("{} does not compare {} and {}", sign, type_name(left), type_name(right)));
}

}  // namespace

Value call_function(const std::string& name, const Value& argument) {
  if (name == "size") return size_of(argument);
  if (const auto* number = argument.as<std::int64_t>()) {
    if (name == "string") return std::to_string(*number);
    if (name == "int") return *number;
  }
  const auto* text = argument.as<std::string>();
  if (text == nullptr) return no_overload(name, argument);
  if (name == "string") return *text;
  if (name == "isQuantity") return quantity_milli(*text).has_value();
  if (name == "isSemver") return Version::parse(*text).has_value();
  if (name == "quantity") return quantity_of(*text);
  if (name == "semver") return version_of(*text);
  return no_overload(name, argument);
}

Value call_method(const std::string& name, const Value& target, std::span<const Value> arguments) {
  if (name == "size" && arguments.empty()) return size_of(target);
  if (const auto* text = target.as<std::string>()) return text_method(name, *text, arguments);
  if (const auto* quantity = target.as<Quantity>()) return quantity_method(name, *quantity, arguments);
  if (const auto* version = target.as<Version>()) return version_method(name, *version, arguments);
  return no_overload(name, target);
}

Value apply_operator(const std::string& sign, const Value& left, const Value& right) {
  if (sign == "==") return equal(left, right);
  if (sign == "!=") return !equal(left, right);
  if (sign[0] == '<' || sign[0] == '>') return ordering(sign, left, right);
  if (left.as<std::int64_t>() != nullptr && right.as<std::int64_t>() != nullptr)
    return arithmetic(sign[0], *left.as<std::int64_t>(), *right.as<std::int64_t>());
  if (sign == "+" && left.as<std::string>() != nullptr && right.as<std::string>() != nullptr)
    return *left.as<std::string>() + *right.as<std::string>();
  return failure(fmt::format("{} does not work on {} and {}", sign, type_name(left), type_name(right)));
}

}  // namespace muster::cel
