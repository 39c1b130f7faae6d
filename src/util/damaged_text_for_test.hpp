// Makes damaged texts from good ones, for tests of readers.
#pragma once

#include <random>
#include <string>
#include <string_view>

namespace muster {

// `whole`, or only a prefix of it, with one to eight small changes. Inserted characters are from `alphabet`.
inline std::string damaged_text(std::mt19937& random, std::string_view whole, std::string_view alphabet) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  std::string text(whole.substr(0, below(4) == 0 ? below(whole.size()) : whole.size()));
  for (std::size_t edits = 1 + below(8); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text.insert(at, 1, alphabet[below(alphabet.size())]);
        break;
      case 1:
        text[at] = alphabet[below(alphabet.size())];
        break;
      case 2:
        text.erase(at, 1 + below(8));
        break;
      default:
        text.insert(below(text.size()), text.substr(at, below(40)));
    }
  }
  return text;
}

}  // namespace muster
