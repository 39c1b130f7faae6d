// Names that are near enough to be suggested.
#include "util/suggest.hpp"

#include <gtest/gtest.h>

#include <array>

namespace muster {
namespace {

constexpr std::array<std::string_view, 8> kPlugins = {
    "proportion", "predicates", "priority", "minruntime", "nodeplacement", "gpupack", "gpuspread", "ray"};

TEST(Suggest, FindsTheNearestName) {
  const struct {
    const char* name;
    const char* found;
  } cases[] = {
      {"proportion", "proportion"},
      {"proporton", "proportion"},    // one letter missing
      {"propportion", "proportion"},  // one too many
      {"proportiom", "proportion"},   // one replaced
      {"rpoportion", "proportion"},   // two swapped
      {"Proportion", "proportion"},   // letter case is ignored
      {"minRunTime", "minruntime"},
      {"min-run-time", "minruntime"},
      {"gpuspraed", "gpuspread"},
      {"gpupakc", "gpupack"},
      {"ry", "ray"},  // 1 of 3
      {"rya", "ray"},
      {"r", ""},  // 2 of 3
      {"", ""},
      {"predicate", "predicates"},
      {"nodes", ""},
      {"consolidate", ""},
  };
  for (const auto& c : cases) EXPECT_EQ(nearest(c.name, kPlugins), c.found) << c.name;
}

TEST(Suggest, UpToAThirdOfTheLettersMayDiffer) {
  const std::array<std::string_view, 1> known = {"abcdef"};
  EXPECT_EQ(nearest("abcdXX", known), "abcdef");
  EXPECT_EQ(nearest("abcXXX", known), "");
  EXPECT_EQ(nearest("abcd", known), "abcdef");
  EXPECT_EQ(nearest("abc", known), "");
}

TEST(Suggest, PrefersTheNearestThenTheFirst) {
  const std::array<std::string_view, 3> known = {"stamp", "steam", "steal"};
  EXPECT_EQ(nearest("steak", known), "steam");
  EXPECT_EQ(nearest("stea", known), "steam");
  EXPECT_EQ(nearest("steall", known), "steal");
}

TEST(Suggest, NothingKnown) { EXPECT_EQ(nearest("abc", {}), ""); }

TEST(Suggest, AsASentence) {
  EXPECT_EQ(did_you_mean("proporton", kPlugins), "; did you mean \"proportion\"?");
  EXPECT_EQ(did_you_mean("zzz", kPlugins), "");
}

}  // namespace
}  // namespace muster
