// Checks that the options and docs/differences.md list each other completely.
#include "options/compatibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

namespace muster {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// The last column of a table row such as "| what | … | `trimVictims` |"; "" for any other line.
std::string last_cell(const std::string& line) {
  const auto end = line.rfind('|');
  if (end == std::string::npos || end == 0) return "";
  const auto begin = line.rfind('|', end - 1) + 1;
  return trimmed(line.substr(begin, end - begin));
}

std::multiset<std::string> documented_options() {
  std::multiset<std::string> options;
  std::ifstream in(MUSTER_DIFFERENCES);
  for (std::string line; std::getline(in, line);)
    if (const std::string cell = last_cell(line); cell.starts_with('`') && cell.ends_with('`'))
      options.insert(cell.substr(1, cell.size() - 2));
  return options;
}

TEST(Compatibility, OptionsAndRowsOfTheDocumentMatch) {
  std::multiset<std::string> keys;
  for (const CompatibilityOption& option : kCompatibilityOptions) keys.emplace(option.key);
  EXPECT_EQ(documented_options(), keys);
}

TEST(Compatibility, EveryOptionHasItsOwnMember) {
  Compatibility options;
  for (const CompatibilityOption& option : kCompatibilityOptions) {
    EXPECT_TRUE(options.*option.is_ours) << option.key;
    options.*option.is_ours = false;
  }
  EXPECT_EQ(options, Compatibility::kai_exact());
}

}  // namespace
}  // namespace muster
