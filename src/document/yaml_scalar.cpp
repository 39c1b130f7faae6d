// Decides which plain scalars are null, booleans or numbers, and writes them as JSON.
#include "document/yaml_scalar.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

namespace muster {
namespace {

constexpr std::size_t kLongestNumber = 64;

// YAML 1.1 accepts its words in lower case, capitalized or in upper case, but not in mixed case.
bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  const auto same_from = [&](std::size_t first, int shift) {
    for (std::size_t i = first; i < text.size(); ++i)
      if (text[i] != static_cast<char>(lower[i] + shift)) return false;
    return true;
  };
  constexpr int kToUpper = 'A' - 'a';
  if (text[0] == lower[0]) return same_from(1, 0);
  return text[0] == static_cast<char>(lower[0] + kToUpper) && (same_from(1, 0) || same_from(1, kToUpper));
}

std::string_view constant(std::string_view text) {
  if (text.empty() || text == "~" || is_word(text, "null")) return "null";
  for (const std::string_view yes : {"true", "yes", "on"})
    if (is_word(text, yes)) return "true";
  for (const std::string_view no : {"false", "no", "off"})
    if (is_word(text, no)) return "false";
  return {};
}

bool may_be_number(std::string_view text) {
  const char c = text[0];
  return text.size() <= kLongestNumber && ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.');
}

struct Digits {
  std::string_view text;
  int base = 10;
};

// Recognizes "0x1F", "0o17", "0b11" and, as in C, "017".
Digits digits_of(std::string_view unsigned_text) {
  if (unsigned_text.size() < 2 || unsigned_text[0] != '0') return {unsigned_text};
  switch (unsigned_text[1]) {
    case 'x':
    case 'X':
      return {unsigned_text.substr(2), 16};
    case 'o':
    case 'O':
      return {unsigned_text.substr(2), 8};
    case 'b':
    case 'B':
      return {unsigned_text.substr(2), 2};
    default:
      return {unsigned_text.substr(1), 8};
  }
}

bool append_integer(std::string& json, std::string_view text) {
  const bool negative = text[0] == '-';
  if (negative || text[0] == '+') text.remove_prefix(1);
  const Digits digits = digits_of(text);
  std::uint64_t value = 0;
  const char* const end = digits.text.data() + digits.text.size();
  const auto parsed = std::from_chars(digits.text.data(), end, value, digits.base);
  if (parsed.ec != std::errc() || parsed.ptr != end) return false;
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (negative && value > kMost) return false;
  if (negative && value > 0) json += '-';
  fmt::format_to(std::back_inserter(json), "{}", value);
  return true;
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
  return at;
}

// Matches [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool is_float(std::string_view text) {
  std::size_t at = text[0] == '+' || text[0] == '-' ? 1 : 0;
  const std::size_t whole = skip_digits(text, at);
  std::size_t digits = whole - at;
  at = whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = skip_digits(text, at + 1);
    digits += fraction - (at + 1);
    at = fraction;
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  return at < text.size() && skip_digits(text, at) == text.size();
}

bool append_float(std::string& json, std::string_view text) {
  if (!is_float(text)) return false;
  if (text[0] == '+') text.remove_prefix(1);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || !std::isfinite(value)) return false;
  fmt::format_to(std::back_inserter(json), "{}", value);
  return true;
}

bool append_number(std::string& json, std::string_view text) {
  std::array<char, kLongestNumber> buffer{};
  std::size_t size = 0;
  for (const char c : text)
    if (c != '_') buffer[size++] = c;
  const std::string_view bare(buffer.data(), size);
  return append_integer(json, bare) || append_float(json, bare);
}

}  // namespace

void append_json_string(std::string& json, std::string_view text) {
  json += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') json += '\\';
    if (static_cast<unsigned char>(c) >= 0x20)
      json += c;
    else
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(c));
  }
  json += '"';
}

void append_plain_scalar(std::string& json, std::string_view text) {
  if (const std::string_view word = constant(text); !word.empty())
    json += word;
  else if (!may_be_number(text) || !append_number(json, text))
    append_json_string(json, text);
}

}  // namespace muster
