// Reads UTF-8 character by character, and escapes what a terminal must not receive.
#include "util/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace muster {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: the text does not begin with a character
};

constexpr std::uint32_t kLastAscii = 0x7E, kDelete = 0x7F, kLastC1 = 0x9F;

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

bool is_plain(char c) { return c >= ' ' && static_cast<std::uint8_t>(c) <= kLastAscii; }

// The number of bytes of a character that begins with this byte, and the bits of its code in the byte.
Character begun_by(std::uint8_t lead) {
  if (lead < 0x80) return {lead, 1};
  if (lead >= 0xC2 && lead < 0xE0) return {lead & 0x1FU, 2};
  if (lead >= 0xE0 && lead < 0xF0) return {lead & 0x0FU, 3};
  if (lead >= 0xF0 && lead < 0xF5) return {lead & 0x07U, 4};
  return {};
}

// Overlong forms, surrogates and codes beyond the last character are not valid UTF-8.
bool is_valid(const Character& c) {
  constexpr std::uint32_t kFirstOfLength[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = c.code >= 0xD800 && c.code <= 0xDFFF;
  return c.code >= kFirstOfLength[c.bytes] && c.code <= 0x10FFFF && !is_surrogate;
}

Character first_character(std::string_view text) {
  Character c = begun_by(byte_at(text, 0));
  if (c.bytes == 0 || c.bytes > text.size()) return {};
  for (std::size_t i = 1; i < c.bytes; ++i) {
    if ((byte_at(text, i) & 0xC0U) != 0x80U) return {};
    c.code = (c.code << 6U) | (byte_at(text, i) & 0x3FU);
  }
  return is_valid(c) ? c : Character{};
}

bool changes_direction(std::uint32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

bool separates_lines(std::uint32_t code) { return code == 0x2028 || code == 0x2029; }

bool is_harmless(std::uint32_t code) {
  if (code < ' ' || (code >= kDelete && code <= kLastC1)) return false;
  return !changes_direction(code) && !separates_lines(code);
}

void add_escape(std::uint32_t code, std::string& out) {
  if (code == '\n')
    out += "\\n";
  else if (code == '\r')
    out += "\\r";
  else if (code == '\t')
    out += "\\t";
  else if (code <= kDelete)
    fmt::format_to(std::back_inserter(out), "\\x{:02x}", code);
  else
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", code);
}

bool continues_character(char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80U; }

}  // namespace

std::string beginning_of(std::string_view text, std::size_t most_bytes) {
  std::size_t end = std::min(most_bytes, text.size());
  while (end > 0 && end < text.size() && continues_character(text[end])) --end;
  return std::string(text.substr(0, end));
}

std::string printable(std::string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_plain);
  std::string out(text.begin(), first);
  for (std::string_view rest(first, text.end()); !rest.empty();) {
    const Character c = first_character(rest);
    if (c.bytes == 0)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte_at(rest, 0));
    else if (is_harmless(c.code))
      out += rest.substr(0, c.bytes);
    else
      add_escape(c.code, out);
    rest.remove_prefix(std::max<std::size_t>(c.bytes, 1));
  }
  return out;
}

}  // namespace muster
