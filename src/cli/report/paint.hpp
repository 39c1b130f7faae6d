// Colour for terminals, and how wide a text is there.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/text.hpp"

namespace muster::cli {

enum class Ink : unsigned char { kPlain, kBold, kDim, kGood, kWaiting, kBad };

// Puts text in ink, or leaves it alone where colour is off.
class Paint {
 public:
  explicit Paint(bool is_on = false) : is_on_(is_on) {}
  // On only if the stream is a terminal and NO_COLOR is not set.
  static Paint for_stream(std::FILE* stream);

  template <class Words>
  Text operator()(Ink ink, const Words& words) const {
    return painted(ink, format_text("{}", words));
  }

 private:
  Text painted(Ink ink, const Text& text) const;

  bool is_on_;
};

bool is_terminal(std::FILE* stream);
// Columns of the terminal behind the stream, or `otherwise`.
std::size_t columns_of(std::FILE* stream, std::size_t otherwise);

// Columns that UTF-8 text takes: combining marks none, East Asian wide characters and emoji two.
std::size_t width_of(std::string_view text);

// Breaks between words, so that no line is wider than `width` unless a word is; each line begins with
// `indent`.
Text wrapped_text(const Text& text, const Text& indent, std::size_t width);
template <class Words>
Text wrapped(const Words& words, const Text& indent, std::size_t width) {
  return wrapped_text(format_text("{}", words), indent, width);
}

}  // namespace muster::cli
