// Reads a value as the requested type and reports where and why that fails.
#include "manifest/field.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "util/printable.hpp"
#include "util/quantity.hpp"

namespace muster {
namespace {

using simdjson::dom::element_type;

constexpr std::size_t kLongestQuote = 80;  // longest part of a bad value that a message quotes

std::string_view type_name(Json json) {
  switch (json.type()) {
    case element_type::OBJECT:
      return "an object";
    case element_type::ARRAY:
      return "a list";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "true or false";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

std::string in_quotes(std::string_view text) {
  const bool is_long = text.size() > kLongestQuote;
  return fmt::format("\"{}{}\"", beginning_of(text, kLongestQuote), is_long ? "…" : "");
}

std::string_view text_at(Json object, std::string_view key) {
  std::string_view text;
  return object.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

std::string name_of_object(const Decoding& decoding) {
  const Document& document = decoding.document;
  std::string name(document.kind());
  Json metadata;
  if (!document.root().is_object() || document.root().at_key("metadata").get(metadata) != simdjson::SUCCESS ||
      !metadata.is_object() || text_at(metadata, "name").empty())
    return name;
  name += ' ';
  if (decoding.scope == Scope::kNamespaced) {
    const std::string_view ns = text_at(metadata, "namespace");
    name += ns.empty() ? "default" : ns;
    name += '/';
  }
  return name += text_at(metadata, "name");
}

// The text of a number or truth value; "" for any other type.
std::string scalar_text(Json json) {
  switch (json.type()) {
    case element_type::INT64:
      return fmt::format("{}", json.get_int64().value_unsafe());
    case element_type::UINT64:
      return fmt::format("{}", json.get_uint64().value_unsafe());
    case element_type::DOUBLE:
      return fmt::format("{}", json.get_double().value_unsafe());
    case element_type::BOOL:
      return json.get_bool().value_unsafe() ? "true" : "false";
    default:
      return {};
  }
}

}  // namespace

std::string Field::path() const {
  if (above_ == nullptr) return {};
  std::string path = above_->path();
  if (index_ != kNoIndex) return path += fmt::format("[{}]", index_);
  if (!path.empty()) path += '.';
  return path += key_;
}

Field Field::operator[](std::string_view key) const& {
  Json json;
  if (!is_present_ || !json_.is_object() || json_.at_key(key).get(json) != simdjson::SUCCESS)
    return Field(*this, key);
  return Field(*this, key, json);
}

Field Field::object(std::string_view key) const& {
  const Field member = (*this)[key];
  return !member.is_present_ || member.is_object() ? member : Field(*this, key);
}

bool Field::is_object() const {
  if (is_present_ && json_.is_object()) return true;
  if (is_present_)
    wrong_type("an object");
  else
    fail("must be an object, not null");
  return false;
}

std::string Field::object_name() const { return name_of_object(decoding_); }

Error Field::finding(std::string message) const {
  const std::string where = path();
  const Document& document = decoding_.document;
  return {std::move(message), {document.file(), document.line_of(where), object_name(), where}};
}

void Field::warn(std::string message) const {
  decoding_.findings.warnings.push_back(finding(std::move(message)));
}

void Field::fail(std::string message) const {
  decoding_.is_unusable = true;
  decoding_.findings.errors.push_back(finding(std::move(message)));
}

void Field::wrong_type(std::string_view wanted) const {
  fail(fmt::format("must be {}, not {}", wanted, type_name(json_)));
}

void Field::warn_wrong_type(std::string_view wanted) const {
  warn(fmt::format("must be {}, not {}; ignored", wanted, type_name(json_)));
}

std::string_view Field::text() const {
  std::string_view text;
  if (!is_present_ || json_.get(text) == simdjson::SUCCESS) return text;
  std::string converted = scalar_text(json_);
  if (converted.empty()) return warn_wrong_type("a string"), text;
  warn(fmt::format("must be a string, not {}; read as {}", type_name(json_), in_quotes(converted)));
  return decoding_.converted.emplace_front(std::move(converted));
}

std::optional<double> Field::number() const {
  double value = 0;
  if (!is_present_) return std::nullopt;
  if (json_.get(value) == simdjson::SUCCESS) return value;
  warn_wrong_type("a number");
  return std::nullopt;
}

std::optional<std::int32_t> Field::int32() const {
  const auto value = number();
  if (!value) return std::nullopt;
  using Limits = std::numeric_limits<std::int32_t>;
  if (*value == std::trunc(*value) && *value >= Limits::min() && *value <= Limits::max())
    return static_cast<std::int32_t>(*value);
  warn(fmt::format("{} is not a 32-bit integer; ignored", scalar_text(json_)));
  return std::nullopt;
}

std::optional<std::int64_t> Field::int64() const {
  std::int64_t value = 0;
  if (!is_present_) return std::nullopt;
  if (json_.get(value) == simdjson::SUCCESS) return value;
  warn_wrong_type("a 64-bit integer");
  return std::nullopt;
}

std::optional<bool> Field::boolean() const {
  bool value = false;
  if (!is_present_) return std::nullopt;
  if (json_.get(value) == simdjson::SUCCESS) return value;
  warn_wrong_type("true or false");
  return std::nullopt;
}

std::string Field::shown() const {
  std::string_view value;
  if (!is_present_) return "";
  const std::string quoted = in_quotes(json_.get(value) == simdjson::SUCCESS ? value : scalar_text(json_));
  return quoted.substr(1, quoted.size() - 2);
}

std::optional<TimePoint> Field::time() const {
  if (!is_present_) return std::nullopt;
  const std::string_view value = text();
  const auto parsed = parse_time(value);
  if (!parsed) warn(in_quotes(value) + " is not an RFC 3339 timestamp; ignored");
  return parsed;
}

std::optional<Duration> Field::duration(bool may_be_negative) const {
  if (!is_present_) return std::nullopt;
  const std::string_view value = text();
  const auto parsed = parse_duration(value);
  if (!parsed) return warn(in_quotes(value) + " is not a duration such as 1h30m; ignored"), parsed;
  if (may_be_negative || *parsed >= Duration::zero()) return parsed;
  warn(in_quotes(value) + " is negative; ignored");
  return std::nullopt;
}

std::int64_t Field::quantity(bool in_thousandths) const {
  std::string_view value;
  std::string converted;
  if (!is_present_) return 0;
  if (json_.get(value) != simdjson::SUCCESS) {
    if (!json_.is_number()) return wrong_type("a quantity"), 0;
    value = converted = scalar_text(json_);
  }
  const auto amount = in_thousandths ? quantity_milli(value) : quantity_value(value);
  if (!amount) return fail(in_quotes(value) + " is not a quantity"), 0;
  if (*amount < 0) return fail(in_quotes(value) + " is negative"), 0;
  return *amount;
}

std::vector<std::string> Field::strings() const {
  std::vector<std::string> all;
  each_item([&](const Field& item) { all.push_back(item.string()); });
  return all;
}

}  // namespace muster
