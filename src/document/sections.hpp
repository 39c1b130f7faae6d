// Cuts text into the parts between `---` lines, and JSON text into documents.
#pragma once

#include <optional>
#include <string_view>

namespace muster {

struct Section {
  std::string_view text;  // without the `---` line
  int line = 1;           // line of its first character
};

// A line that starts with `---` ends any document, in YAML and in JSON. The cuts are therefore right even if
// a document does not parse.
class Sections {
 public:
  explicit Sections(std::string_view text) : rest_(text) {}
  std::optional<Section> next();

 private:
  std::string_view rest_;
  int line_ = 1;
  bool done_ = false;
};

// The section from its first character that is neither white space nor in a comment or directive; "" if there
// is none.
Section without_preamble(Section section);
Section without_leading_space(Section section);
// The section without its first `size` characters.
Section advanced(Section section, std::size_t size);
std::string_view without_trailing_space(std::string_view text);

// Guesses the first JSON document of a text that begins with a bracket: up to the next line that begins with
// a bracket. This is right for JSON lines and for indented JSON.
std::string_view json_up_to_next_start(std::string_view text);
// Likewise by counting brackets. Always right for a valid document; empty if the brackets are not closed.
std::string_view json_by_brackets(std::string_view text);

}  // namespace muster
