// Makes text from outside safe for a terminal or a log.
//
// Characters that could control a terminal or forge a line are written as escapes: control characters (C0,
// DEL, C1), marks that change the direction of text, line and paragraph separators, and bytes that are not
// valid UTF-8. Everything else is unchanged, including backslashes, so that text that is already printable
// stays the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// Returns, for example, "a\nb" for a line break, or "\x1b", "\u009b", "\u202e", and "\xff" for a byte that is
// not valid UTF-8.
std::string printable(std::string_view text);

// The longest prefix of UTF-8 text that has at most `most_bytes` bytes and ends between characters.
std::string beginning_of(std::string_view text, std::size_t most_bytes);

}  // namespace muster
