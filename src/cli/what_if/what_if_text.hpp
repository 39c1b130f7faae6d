// The effects of changes as text.
#pragma once

#include <string>
#include <vector>

#include "answers/what_if.hpp"
#include "terminal/text_style.hpp"

namespace muster::cli {

Text what_if_text(const std::vector<answers::Change>& changes, const answers::Outcome& before,
                  const answers::Outcome& after, const answers::Differences& differences,
                  const TextStyle& style);

// A table of start times before and after, or "" if `starts` is empty.
Text starts_text(const char* title, const std::vector<answers::StartMove>& starts, const TextStyle& style);

}  // namespace muster::cli
