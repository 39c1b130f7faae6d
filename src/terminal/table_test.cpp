// Columns, truncated lists, combined names and wrapped lines, compared as literal text.
#include "terminal/table.hpp"

#include <gtest/gtest.h>

#include "util/names.hpp"

namespace muster {
namespace {

using Words = std::vector<std::string>;

TEST(Table, AlignsByDisplayWidth) {
  Table table({{"queue"}, {"quota", Align::kRight, "GPUs"}, {"limit", Align::kRight, "GPUs"}, {"who"}});
  table.add({"research", "16", "∞", "all"});
  table.add({"  größe", "8", "12", ""});
  table.add({"  画像", "8", "12", "x"});
  EXPECT_EQ(table.text({}),
            "          GPUs\n"
            "queue     quota  limit  who\n"
            "research     16      ∞  all\n"
            "  größe       8     12\n"
            "  画像        8     12  x\n");
}

TEST(Table, SaysHowManyRowsAreCutOff) {
  Table table({{"n", Align::kRight}});
  for (int i = 0; i < 4000; ++i) table.add({std::to_string(i)});
  EXPECT_EQ(table.text({.indent = "  ", .most_rows = 2}),
            "  n\n  0\n  1\n  … and 3,998 more; --all shows them\n");
}

TEST(Table, CountsUnseenRows) {
  Table table({{"n"}});
  table.add({"0"});
  for (int i = 0; i < 3999; ++i) table.add_unseen();
  EXPECT_EQ(table.text({}), "n\n0\n… and 3,999 more; --all shows them\n");
}

TEST(Table, LeavesOutEmptyColumns) {
  Table table({{"job"}, {.title = "reason", .only_if_filled = true}, {"min"}});
  table.add({"a", "", ""});
  EXPECT_EQ(table.text({}), "job  min\na\n");
  table.add({"b", "OverLimit", "2"});
  EXPECT_EQ(table.text({}), "job  reason     min\na\nb    OverLimit  2\n");
}

TEST(Numbers, AreGroupedByThousands) {
  EXPECT_EQ(grouped_decimal(0), "0");
  EXPECT_EQ(grouped_decimal(999.5), "999.5");
  EXPECT_EQ(grouped_decimal(1000), "1,000");
  EXPECT_EQ(grouped_decimal(-1000), "-1,000");
  EXPECT_EQ(grouped_decimal(-100), "-100");
  EXPECT_EQ(grouped_decimal(1234567.125), "1,234,567.125");
}

TEST(Table, ColoursCellsButNotTheSpaceAround) {
  Table table({{"status"}, {"node"}});
  table.add({{"ok", Color::kGood}, "n1"});
  EXPECT_EQ(table.text({.paint = Painter(true), .has_titles = false}), "\x1b[32mok\x1b[0m  n1\n");
  EXPECT_EQ(table.text({.has_titles = false}), "ok  n1\n");
}

TEST(Table, WritesOneLinePerRow) {
  Table table({{"job\nqueue"}, {.title = "n\x1b[2J", .align = Align::kRight, .group = "g\r"}});
  table.add({"a\nb", "1"});
  table.add({{"c\u202e", Color::kBad}, "2\x1b[31m"});
  EXPECT_EQ(table.text({.paint = Painter(true)}),
            "             \x1b[2mg\\r\x1b[0m\n"
            "\x1b[2mjob\\nqueue\x1b[0m   \x1b[2mn\\x1b[2J\x1b[0m\n"
            "a\\nb                1\n"
            "\x1b[31mc\\u202e\x1b[0m     2\\x1b[31m\n");
}

TEST(Width, CountsColumnsNotBytes) {
  EXPECT_EQ(width_of("abc"), 3U);
  EXPECT_EQ(width_of("… → ∞"), 5U);
  EXPECT_EQ(width_of("e\xCC\x81"), 1U);  // with a combining accent
  EXPECT_EQ(width_of("日本"), 4U);
  EXPECT_EQ(width_of("\xFF"), 1U);  // invalid UTF-8
}

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(wrapped("one two three", "  ", 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("incomprehensibilities of", "", 5), "incomprehensibilities\nof\n");
  EXPECT_EQ(wrapped(std::string("one\ntwo three"), "  ", 9), "  one\\ntwo\n  three\n")
      << "only between words";
}

TEST(Names, CombineRunsOfNumbers) {
  EXPECT_EQ(summarised(Words{"t-10", "t-9", "t-8", "t-11"}), "t-8 … t-11");
  EXPECT_EQ(summarised(Words{"t-0", "t-1"}), "t-0, t-1");
  EXPECT_EQ(summarised(Words{"t-0", "t-1", "t-2", "t-7", "a"}), "a, t-0 … t-2, t-7");
  EXPECT_EQ(summarised(Words{"a", "b", "c", "d", "e-0", "e-1", "e-2"}), "a, b, c and 4 more");
  EXPECT_EQ(summarised(Words{}), "");
}

TEST(Names, CountPerNode) {
  EXPECT_EQ(summarised(Tally{{"n10", 4}, {"n9", 4}}), "n9 (4), n10 (4)");
  EXPECT_EQ(summarised(Tally{{"n1", 1}, {"n2", 1}}), "n1, n2");
  EXPECT_EQ(summarised(Tally{{"n1", 1}, {"n2", 1}, {"n3", 1}, {"n4", 1}, {"n5", 1}}),
            "n1, n2, n3 and 2 more");
}

TEST(Names, AreOrderedByTheirNumbers) {
  EXPECT_TRUE(natural_less("t-2", "t-10"));
  EXPECT_FALSE(natural_less("t-10", "t-2"));
  EXPECT_TRUE(natural_less("t", "t-1"));
  EXPECT_FALSE(natural_less("t-1", "t-1"));
}

TEST(Counted, HasAPlural) {
  EXPECT_EQ(counted(1, "pod"), "1 pod");
  EXPECT_EQ(counted(0, "pod"), "0 pods");
  EXPECT_EQ(counted(1234567, "pod"), "1,234,567 pods");
}

}  // namespace
}  // namespace muster
