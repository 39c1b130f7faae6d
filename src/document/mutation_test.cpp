// Randomly damaged text is read or refused, always in the same way.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "document/json.hpp"
#include "util/damaged_text_for_test.hpp"

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

TEST(DamagedText, IsAlwaysReadOrRefusedTheSameWay) {
  std::mt19937 random(20250601);
  for (int round = 0; round < 5000; ++round) {
    const std::string text = damaged_text(random, kYaml, kAlphabet);
    const std::string name = round % 2 == 0 ? "f.yaml" : "f.json";
    ASSERT_EQ(outcome(text, name), outcome(text, name)) << text;
  }
}

}  // namespace
}  // namespace muster
