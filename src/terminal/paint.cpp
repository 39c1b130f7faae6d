// Escape sequences, the width of the terminal, and the display width of UTF-8 text.
#include "terminal/paint.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace muster {
namespace {

Text code_of(Color ink) {
  switch (ink) {
    case Color::kPlain:
      return "";
    case Color::kBold:
      return "\x1b[1m";
    case Color::kDim:
      return "\x1b[2m";
    case Color::kGood:
      return "\x1b[32m";
    case Color::kWaiting:
      return "\x1b[33m";
    case Color::kBad:
      return "\x1b[31m";
  }
  return "";
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* term = std::getenv("TERM");
  return term != nullptr && std::string_view(term) == "dumb";
}

struct CodeRange {
  std::uint32_t first, last;
};

constexpr std::array kNoColumns = std::to_array<CodeRange>(
    {{0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}});
constexpr std::array kTwoColumns = std::to_array<CodeRange>({{0x1100, 0x115F},
                                                             {0x2E80, 0x303E},
                                                             {0x3041, 0xA4CF},
                                                             {0xAC00, 0xD7A3},
                                                             {0xF900, 0xFAFF},
                                                             {0xFE30, 0xFE4F},
                                                             {0xFF00, 0xFF60},
                                                             {0xFFE0, 0xFFE6},
                                                             {0x1F300, 0x1F64F},
                                                             {0x1F680, 0x1F6FF},
                                                             {0x1F900, 0x1F9FF},
                                                             {0x20000, 0x3FFFD}});

template <class Ranges>
bool contains(const Ranges& ranges, std::uint32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const CodeRange& r) { return r.first <= code && code <= r.last; });
}

std::size_t character_width(std::uint32_t code) {
  if (contains(kNoColumns, code)) return 0;
  return contains(kTwoColumns, code) ? 2 : 1;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

// Removes one character from the front and returns it. A stray byte counts as a character of its own.
std::uint32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0xC0) return lead;
  std::uint32_t code = lead & (lead >= 0xF0 ? 0x07U : lead >= 0xE0 ? 0x0FU : 0x1FU);
  for (; !text.empty() && continues(text.front()); text.remove_prefix(1))
    code = (code << 6U) | (static_cast<unsigned char>(text.front()) & 0x3FU);
  return code;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) != 0; }

Painter Painter::for_stream(std::FILE* stream) {
  return Painter(is_terminal(stream) && !is_set("NO_COLOR") && !is_dumb());
}

Text Painter::painted(Color ink, const Text& text) const {
  if (!is_on_ || ink == Color::kPlain || text.empty()) return text;
  return code_of(ink) + text + "\x1b[0m";
}

std::size_t columns_of(std::FILE* stream, std::size_t otherwise) {
  winsize size{};
  if (!is_terminal(stream) || ::ioctl(::fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return otherwise;
  return size.ws_col;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += character_width(take_character(text));
  return width;
}

Text wrapped_text(const Text& text, const Text& indent, std::size_t width) {
  Text lines;
  std::size_t column = 0;
  for (std::size_t from = 0, end = 0; from < text.str().size(); from = end + 1) {
    end = std::min(text.str().find(' ', from), text.str().size());
    const Text word = text.part(from, end - from);
    const std::size_t word_width = width_of(word.str());
    const bool fits = column + 1 + word_width <= width;
    if (column > 0 && fits) {
      lines += " ";
      ++column;
    } else {
      if (!lines.empty()) lines += "\n";
      lines += indent;
      column = width_of(indent.str());
    }
    lines += word;
    column += word_width;
  }
  return lines + "\n";
}

}  // namespace muster
