// YAML with the JSON and the lines it becomes, and text that is refused.
#include "document/yaml_to_json.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

// Each document as a line of JSON, each error as "line: message".
std::string translated(std::string_view yaml) {
  std::string all;
  const auto add = [&](const std::string& text) { all += (all.empty() ? "" : "\n") + text; };
  yaml_to_json(
      yaml, 1, [&](const TranslatedYaml& document) { add(document.json); },
      [&](int line, const std::string& message) { add(std::to_string(line) + ": " + message); });
  return all;
}

struct JsonCase {
  const char* yaml;
  const char* expected;
};

TEST(YamlToJson, Translates) {
  const JsonCase cases[] = {
      {"", ""},
      {"# nothing\n", ""},
      {"a: 1\nb: [x, 'y', \"z\"]\n", R"({"a":1,"b":["x","y","z"]})"},
      {"a:\nb: {}\nc: []\n", R"({"a":null,"b":{},"c":[]})"},
      {"a: yes\nb: 'yes'\nc: !!str yes\nd: !!int 012\n", R"({"a":true,"b":"yes","c":"yes","d":10})"},
      {"a: |\n  x\n  y\nb: >\n  x\n  y\n", R"({"a":"x\u000ay\u000a","b":"x y\u000a"})"},
      {"1: a\ntrue: b\n~: c\n0x10: d\n", R"({"1":"a","true":"b","null":"c","16":"d"})"},
      {"- a\n- - b\n  - c\n- d: e\n", R"(["a",["b","c"],{"d":"e"}])"},
      {"a: &x {b: 1}\nc: *x\nd: [*x, *x]\n", R"({"a":{"b":1},"c":{"b":1},"d":[{"b":1},{"b":1}]})"},
      {"&k a: 1\nb: *k\n*k : 2\n", "3: key \"a\" is given twice"},
      {"&k a: 1\nb: *k\n", R"({"a":1,"b":"a"})"},
      {"a: 1\n...\n---\nb: 2\n", "{\"a\":1}\n{\"b\":2}"},
  };
  for (const auto& [yaml, expected] : cases) EXPECT_EQ(translated(yaml), expected) << "of\n" << yaml;
}

TEST(YamlToJson, MergesMissingMembers) {
  const JsonCase cases[] = {
      {"a: &x {p: 1, q: 2}\nb:\n  <<: *x\n  q: 3\n", R"({"a":{"p":1,"q":2},"b":{"q":3,"p":1}})"},
      {"a: &x {p: 1}\nb: &y {p: 2, q: 2}\nc: {<<: [*x, *y]}\n",
       R"({"a":{"p":1},"b":{"p":2,"q":2},"c":{"p":1,"q":2}})"},
      {"a: {<<: {p: 1}, q: 2}\n", R"({"a":{"q":2,"p":1}})"},
      {"a: &x {p: 1}\nb: &y {<<: *x, q: 2}\nc: {<<: *y}\n",
       R"({"a":{"p":1},"b":{"q":2,"p":1},"c":{"q":2,"p":1}})"},
      {"a: {<<: {}}\n", R"({"a":{}})"},
      {"a: {'<<': {p: 1}}\n", R"({"a":{"<<":{"p":1}}})"},
      {"a:\n  <<: 5\n", "2: << requires a mapping"},
      {"a:\n  <<: [5]\n", "2: << requires a mapping"},
  };
  for (const auto& [yaml, expected] : cases) EXPECT_EQ(translated(yaml), expected) << "of\n" << yaml;
}

TEST(YamlToJson, RefusesWithTheLine) {
  const JsonCase cases[] = {
      {"a: 1\nb: 2\na: 3\n", "3: key \"a\" is given twice"},
      {"a: {b: 1,\n b: 2}\n", "2: key \"b\" is given twice"},
      {"a: 1\n? [x]\n: 2\n", "2: a key must be a scalar"},
      {"a: &x [*x]\n", "1: an alias is inside its own anchor"},
      {"a: 1\nb: *x\n", "2: the referenced anchor is not defined"},
      {"a: [1, 2\nb: 3\n", "2: end of sequence flow not found"},
      {"a: 1\n b: 2\n", "2: illegal map value"},
  };
  for (const auto& [yaml, expected] : cases) EXPECT_EQ(translated(yaml), expected) << "of\n" << yaml;
}

TEST(YamlToJson, LimitsTheExpansionOfAliases) {
  std::string yaml = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string one = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
    yaml += name + ": &" + name + " [" + one;
    for (int k = 0; k < 9; ++k) yaml += ", " + one;
    yaml += "]\n";
  }
  EXPECT_NE(translated(yaml).find("aliases expand to more than 32 MiB"), std::string::npos);
}

TEST(YamlToJson, LimitsTheDepth) {
  EXPECT_NE(translated(std::string(100000, '[')), "");
  EXPECT_NE(translated(std::string(5000, '{')), "");
  std::string nested;
  for (int i = 0; i < 3000; ++i) nested += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_NE(translated(nested), "");
}

TEST(YamlToJson, ReportsTheLines) {
  const std::string_view yaml =
      "metadata:\n"          // 10
      "  annotations:\n"     // 11
      "    a.b: x\n"         // 12
      "    a.b/c: y\n"       // 13
      "spec:\n"              // 14
      "  list:\n"            // 15
      "  - name: one\n"      // 16
      "    value: 1\n"       // 17
      "  - name: two\n"      // 18
      "  - {name: three,\n"  // 19
      "     value: 3}\n";    // 20
  Places places;
  yaml_to_json(
      yaml, 10, [&](const TranslatedYaml& document) { places = document.places; },
      [](int line, const std::string& message) { FAIL() << line << message; });
  const std::pair<const char*, int> cases[] = {
      {"", 10},
      {"metadata", 10},
      {"metadata.annotations.a.b", 12},
      {"metadata.annotations.a.b/c", 13},
      {"metadata.annotations.none", 11},
      {"spec.list[0]", 16},
      {"spec.list[0].value", 17},
      {"spec.list[1].value.deeper", 18},
      {"spec.list[2].value", 20},
      {"spec.list[3].value", 15},
      {"spec.list[x]", 15},
      {"status.phase", 10},
  };
  for (const auto& [path, line] : cases) EXPECT_EQ(places.line_of(path), line) << path;
}

}  // namespace
}  // namespace muster
