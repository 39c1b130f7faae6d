// Text that was damaged at random is read or refused, always in the same way.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "document/json.hpp"

namespace muster {
namespace {

constexpr std::string_view kYaml = R"(apiVersion: v1
kind: List
items:
- &pod
  kind: Pod
  metadata: {name: "a\tb", labels: {x: 'y', 1: 0x1F}}
  spec: [1.5, ~, yes, !!str 7]
- <<: *pod
  kind: Node
  text: |
    block
    text
---
{"apiVersion":"v1","kind":"Pod","spec":{"a":[1,-2.5e3,true,null,"\u00e9\n"]}}
{"b":2}
---
? complex
: >-
  folded
)";

constexpr std::string_view kAlphabet = "{}[]:,-?&*!|>'\"%@`#~<. \n\t\\01aeyn\x80\xff";

std::string damaged(std::mt19937& random) {
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random()) % limit; };
  std::string text(kYaml.substr(0, below(4) == 0 ? below(kYaml.size()) : kYaml.size()));
  for (std::size_t edits = below(6); edits > 0 && !text.empty(); --edits) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0:
        text.insert(at, 1, kAlphabet[below(kAlphabet.size())]);
        break;
      case 1:
        text[at] = kAlphabet[below(kAlphabet.size())];
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

std::string outcome(const std::string& text, const std::string& name) {
  std::string all;
  read_documents_in(
      name, text,
      [&](const Document& d) {
        all += std::string(simdjson::minify(d.root())) + std::to_string(d.line_of("spec.a[1].b")) + '\n';
      },
      [&](const Error& error) { all += error.text() + '\n'; });
  return all;
}

TEST(DamagedText, IsReadOrRefusedTheSameWayTwice) {
  std::mt19937 random(20250601);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = damaged(random);
    const std::string name = round % 2 == 0 ? "f.yaml" : "f.json";
    ASSERT_EQ(outcome(text, name), outcome(text, name)) << text;
  }
}

}  // namespace
}  // namespace muster
