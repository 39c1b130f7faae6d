// How the parts of a text output look.
#pragma once

#include <limits>
#include <string>

#include "cli/report/paint.hpp"
#include "cli/report/table.hpp"

namespace muster::cli {

// Of text that goes elsewhere than to a terminal.
inline constexpr std::size_t kWidthOfFiles = 100;

struct TextStyle {
  Paint paint{};
  std::size_t width = 100;  // of paragraphs
  bool all = false;         // lists are not cut off
  bool wide = false;        // CPU and memory of queues, too

  std::size_t most_rows() const { return all ? std::numeric_limits<std::size_t>::max() : 40; }
  template <class Words>
  Text heading(const Words& words) const {
    return "\n" + paint(Ink::kBold, words) + "\n";
  }
  TableStyle table() const { return {.paint = paint, .indent = "  ", .most_rows = most_rows()}; }
};

}  // namespace muster::cli
