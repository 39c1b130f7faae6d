// Text that may be written to a terminal.
//
// A Text consists of muster's own literals, which may contain line breaks, and of foreign text (names,
// annotations, arguments, server responses), which is escaped when it is added. Standard output and standard
// error accept only Text (terminal/output.hpp). A std::string does not convert to Text implicitly, so
// forgetting to escape one does not compile. Filtering the output would not work: it could not tell muster's
// line breaks and colours from those in a name.
//
//   Text text = "Queues\n";
//   text += format_text("  {}: {} GPUs\n", queue.name, 8);
//
// Parts that are assembled first (lists of names, reasons) may be std::string until they become a Text.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "util/printable.hpp"

namespace muster {

class Text {
 public:
  Text() = default;
  // Takes a literal unchanged.
  template <std::size_t kSize>
  Text(const char (&literal)[kSize]) : text_(literal, kSize - 1) {}
  template <std::size_t kSize>
  Text(char (&buffer)[kSize]) = delete;
  // Escapes foreign text.
  explicit Text(std::string_view foreign) : text_(printable(foreign)) {}

  const std::string& str() const { return text_; }
  bool empty() const { return text_.empty(); }
  Text part(std::size_t from, std::size_t bytes = std::string::npos) const {
    Text part;
    part.text_ = text_.substr(from, bytes);
    return part;
  }
  Text without_leading_breaks() const { return part(std::min(text_.find_first_not_of('\n'), text_.size())); }

  Text& operator+=(const Text& more) {
    text_ += more.text_;
    return *this;
  }
  friend Text operator+(Text left, const Text& right) { return std::move(left += right); }
  friend bool operator==(const Text& text, std::string_view other) { return text.text_ == other; }
  friend std::ostream& operator<<(std::ostream& out, const Text& text) { return out << text.text_; }

  // Converts an argument of format_text(): numbers and Text are unchanged, other text is escaped.
  template <class T>
  static auto shown(const T& value) {
    if constexpr (std::is_same_v<T, Text>) {
      return value.text_;
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      return printable(value);
    } else {
      static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, char>, "only numbers and text");
      return value;
    }
  }
  template <class T>
  using Shown = decltype(shown(std::declval<const T&>()));

  template <class... Values>
  friend Text format_text(fmt::format_string<Shown<Values>...> format, const Values&... values);

 private:
  std::string text_;
};

// Formats like fmt::format. The format, numbers and Text are unchanged; other text is escaped.
template <class... Values>
Text format_text(fmt::format_string<Text::Shown<Values>...> format, const Values&... values) {
  Text text;
  text.text_ = fmt::vformat(format, fmt::make_format_args(Text::shown(values)...));
  return text;
}

}  // namespace muster
