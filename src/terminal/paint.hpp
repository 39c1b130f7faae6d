// Colours for terminals, and the display width of text.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "terminal/text.hpp"

namespace muster {

enum class Color : unsigned char { kPlain, kBold, kDim, kGood, kWaiting, kBad };

// Colours text, or returns it unchanged if colour is off.
class Painter {
 public:
  explicit Painter(bool is_on = false) : is_on_(is_on) {}
  // On only if the stream is a terminal and NO_COLOR is not set.
  static Painter for_stream(std::FILE* stream);

  template <class Words>
  Text operator()(Color ink, const Words& words) const {
    return painted(ink, format_text("{}", words));
  }

 private:
  Text painted(Color ink, const Text& text) const;

  bool is_on_;
};

bool is_terminal(std::FILE* stream);
// The number of columns if the stream is a terminal, otherwise `otherwise`.
std::size_t columns_of(std::FILE* stream, std::size_t otherwise);

// The number of columns that UTF-8 text takes: combining marks take none, East Asian wide characters and
// emoji take two.
std::size_t width_of(std::string_view text);

// Breaks lines between words, so that only a line with a single word may be wider than `width`. Each line
// begins with `indent`.
Text wrapped_text(const Text& text, const Text& indent, std::size_t width);
template <class Words>
Text wrapped(const Words& words, const Text& indent, std::size_t width) {
  return wrapped_text(format_text("{}", words), indent, width);
}

}  // namespace muster
