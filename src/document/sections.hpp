// Text cut into the parts between `---` lines, and JSON text into documents.
#pragma once

#include <optional>
#include <string_view>

namespace muster {

struct Section {
  std::string_view text;  // without the `---` itself
  int line = 1;           // of its first character
};

// A line that starts with `---` ends whatever document it stands in, in YAML and in JSON alike, so the cuts
// are right even where a document does not parse.
class Sections {
 public:
  explicit Sections(std::string_view text) : rest_(text) {}
  std::optional<Section> next();

 private:
  std::string_view rest_;
  int line_ = 1;
  bool done_ = false;
};

// The section from its first character that is neither white space nor in a comment or directive line; "" if
// none.
Section without_preamble(Section section);
Section without_leading_space(Section section);
// Cuts `size` characters off the front.
Section advanced(Section section, std::size_t size);
std::string_view without_trailing_space(std::string_view text);

// The first JSON document of a text that begins with a bracket, by its look: up to the next line that begins
// with a bracket, which is right for JSON lines and for indented JSON.
std::string_view json_up_to_next_start(std::string_view text);
// The same by counting brackets: always right if the document is valid; empty if it is not closed.
std::string_view json_by_brackets(std::string_view text);

}  // namespace muster
