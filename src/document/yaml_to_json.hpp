// YAML text as JSON text, with the line of every field.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "document/places.hpp"

namespace muster {

struct TranslatedYaml {
  std::string json;  // with spare capacity for the parser's padding
  Places places;
};

// Calls `use` for every document of the text that is not empty. What does not parse, a key given twice,
// nesting that is too deep and aliases that unfold to too much end the text with one call of `fail`. Lines
// count from `first_line`.
void yaml_to_json(std::string_view text, int first_line,
                  const std::function<void(const TranslatedYaml&)>& use,
                  const std::function<void(int line, const std::string& message)>& fail);

}  // namespace muster
