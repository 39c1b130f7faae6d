// Options for the appearance of text output.
#pragma once

#include <limits>
#include <string>

#include "terminal/paint.hpp"
#include "terminal/table.hpp"

namespace muster {

// The width of text that is not written to a terminal.
inline constexpr std::size_t kWidthOfFiles = 100;

struct TextStyle {
  Painter paint{};
  std::size_t width = 100;  // of paragraphs
  bool all = false;         // long lists are not truncated
  bool wide = false;        // also show CPU and memory of queues

  std::size_t most_rows() const { return all ? std::numeric_limits<std::size_t>::max() : 40; }
  template <class Words>
  Text heading(const Words& words) const {
    return "\n" + paint(Color::kBold, words) + "\n";
  }
  TableStyle table() const { return {.paint = paint, .indent = "  ", .most_rows = most_rows()}; }
};

}  // namespace muster
