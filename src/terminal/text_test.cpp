// Foreign text is escaped when it becomes a Text; literals are not.
#include "terminal/text.hpp"

#include <gtest/gtest.h>

#include "terminal/paint.hpp"

namespace muster {
namespace {

const std::string kName = "a\n\x1b[31m\u202e";
constexpr const char* kShown = "a\\n\\x1b[31m\\u202e";

TEST(Text, TakesLiteralsAsTheyAre) {
  Text text = "\x1b[1mone\n";
  text += "two\n";
  EXPECT_EQ("zero\n" + text, "zero\n\x1b[1mone\ntwo\n");
  EXPECT_EQ(Text("\n\n a").without_leading_breaks(), " a");
  EXPECT_EQ(Text("\n").without_leading_breaks(), "");
}

TEST(Text, MakesEverythingElsePrintable) {
  EXPECT_EQ(Text(kName), kShown);
  EXPECT_EQ(Text(std::string_view(kName)), kShown);
  EXPECT_EQ(Text(kName.c_str()), kShown);
}

TEST(Text, IsFormattedWithPrintableValues) {
  const Text painted = Painter(true)(Color::kBad, kName);
  EXPECT_EQ(painted, "\x1b[31m" + std::string(kShown) + "\x1b[0m");
  EXPECT_EQ(format_text("\n{}: {} {:.1f} {}|{}\n", kName, 8, 0.25, painted, kName.c_str()),
            "\n" + std::string(kShown) + ": 8 0.2 " + painted.str() + "|" + kShown + "\n");
}

// Foreign text does not convert to Text implicitly.
static_assert(!std::is_convertible_v<std::string, Text> && !std::is_convertible_v<std::string_view, Text> &&
              !std::is_convertible_v<const char*, Text> && !std::is_convertible_v<char (&)[8], Text>);

}  // namespace
}  // namespace muster
