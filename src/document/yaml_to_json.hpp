// Converts YAML text to JSON text with the line of every field.
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

// Calls `use` for every non-empty document of the text. Reading ends with one call of `fail` at text that
// does not parse, a duplicate key, too much nesting, or aliases that expand to too much. Lines count from
// `first_line`.
void yaml_to_json(std::string_view text, int first_line,
                  const std::function<void(const TranslatedYaml&)>& use,
                  const std::function<void(int line, const std::string& message)>& fail);

}  // namespace muster
