// The FNV-1a hash of a text, which never changes between machines and versions. Use it for names and random
// draws, not for hash tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

inline constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325;

// `before` is the hash of a preceding text.
constexpr std::uint64_t stable_hash(std::string_view text, std::uint64_t before = kEmptyHash) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return before;
}

}  // namespace muster
