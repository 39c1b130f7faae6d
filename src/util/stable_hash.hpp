// A number for a text that is the same everywhere and for ever: FNV-1a. For names and draws, not for tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

inline constexpr std::uint64_t kHashOfNothing = 0xcbf29ce484222325;

// `before`: the hash of what comes before the text.
constexpr std::uint64_t stable_hash(std::string_view text, std::uint64_t before = kHashOfNothing) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return before;
}

}  // namespace muster
