// Cuts text at separator lines and brackets, without parsing it.
#include "document/sections.hpp"

#include <algorithm>
#include <cstring>

namespace muster {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr auto kNoPosition = std::string_view::npos;

bool is_separator(std::string_view rest) {
  return rest.starts_with("---") && (rest.size() == 3 || kSpace.find(rest[3]) != kNoPosition);
}

std::size_t line_end(std::string_view text, std::size_t from) {
  const void* const found = std::memchr(text.data() + from, '\n', text.size() - from);
  return found == nullptr ? kNoPosition
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

int count_lines(std::string_view text) {
  int lines = 0;
  for (std::size_t at = 0; (at = line_end(text, at)) != kNoPosition; ++at) ++lines;
  return lines;
}

}  // namespace

std::optional<Section> Sections::next() {
  if (done_) return std::nullopt;
  if (is_separator(rest_)) rest_.remove_prefix(3);
  Section section{rest_, line_};
  for (std::size_t at = 0; (at = line_end(rest_, at)) != kNoPosition;) {
    ++at;
    ++line_;
    if (!is_separator(rest_.substr(at))) continue;
    section.text = rest_.substr(0, at);
    rest_.remove_prefix(at);
    return section;
  }
  done_ = true;
  return section;
}

Section advanced(Section section, std::size_t size) {
  section.line += count_lines(section.text.substr(0, size));
  section.text.remove_prefix(size);
  return section;
}

Section without_leading_space(Section section) {
  return advanced(section, std::min(section.text.find_first_not_of(kSpace), section.text.size()));
}

Section without_preamble(Section section) {
  for (;;) {
    section = without_leading_space(section);
    if (section.text.empty() || (section.text[0] != '#' && section.text[0] != '%')) return section;
    section = advanced(section, std::min(section.text.find('\n'), section.text.size()));
  }
}

std::string_view without_trailing_space(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::string_view json_up_to_next_start(std::string_view text) {
  for (std::size_t at = 0; (at = line_end(text, at)) != kNoPosition;) {
    ++at;
    if (at < text.size() && (text[at] == '{' || text[at] == '[')) return text.substr(0, at);
  }
  return text;
}

std::string_view json_by_brackets(std::string_view text) {
  if (text.empty()) return {};
  const char open = text[0], close = open == '{' ? '}' : ']';
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++at;
    if (in_string) continue;
    if (c == open) ++depth;
    if (c == close && --depth == 0) return text.substr(0, at + 1);
  }
  return {};
}

}  // namespace muster
