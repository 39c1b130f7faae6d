// Text from outside as a terminal or a log may have it.
//
// What would steer a terminal or forge a line is written as an escape: control characters (C0, DEL, C1),
// marks that change the direction of text, line and paragraph separators, and bytes that are no UTF-8.
// Everything else stays as it is, backslashes too, so that a text that was made printable before is not
// changed again.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// "a\nb" for a line break, "\x1b", "\u009b", "\u202e", "\xff" for a byte that is no UTF-8.
std::string printable(std::string_view text);

// The beginning of UTF-8 text: at most so many bytes, and no character in part.
std::string beginning_of(std::string_view text, std::size_t most_bytes);

}  // namespace muster
