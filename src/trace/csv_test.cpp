// Lines, quotes and separators, and the effect of bad lines.
#include "trace/csv.hpp"

#include <gtest/gtest.h>

#include <string>

namespace muster::trace {
namespace {

// "1: a|b" for each record, "2! why" for each record that cannot be read.
std::string records_of(std::string_view text, char separator = ',') {
  std::string result;
  CsvRecords records(text, separator);
  while (const CsvRecord* record = records.next()) {
    result += std::to_string(record->line) + (record->mistake.empty() ? ": " : "! " + record->mistake);
    for (std::size_t i = 0; record->mistake.empty() && i < record->values.size(); ++i)
      result += (i == 0 ? "" : "|") + std::string(record->values[i]);
    result += '\n';
  }
  return result;
}

TEST(Csv, ReadsValuesOfEveryLine) {
  EXPECT_EQ(records_of("a,b,c\n1,2,3\n"), "1: a|b|c\n2: 1|2|3\n");
  EXPECT_EQ(records_of("a,b,c\n1,2,3"), "1: a|b|c\n2: 1|2|3\n") << "the last line needs no end";
  EXPECT_EQ(records_of("a,,\n,,"), "1: a||\n2: ||\n");
  EXPECT_EQ(records_of(""), "");
}

TEST(Csv, AcceptsAllLineEndsAndSkipsEmptyLines) {
  EXPECT_EQ(records_of("a,b\r\n\r\n1,2\r\n  \n3,4"), "1: a|b\n3: 1|2\n5: 3|4\n");
  EXPECT_EQ(records_of("a,b\r1,2\r"), "1: a|b\n2: 1|2\n");
}

TEST(Csv, TrimsValues) { EXPECT_EQ(records_of(" m31 ,8, 24GB\t\n"), "1: m31|8|24GB\n"); }

TEST(Csv, ReadsQuotedValues) {
  EXPECT_EQ(records_of("\"a,b\",\"say \"\"hi\"\"\", \"c\" \n1,2,3\n"), "1: a,b|say \"hi\"|c\n2: 1|2|3\n");
  EXPECT_EQ(records_of("\"two\nlines\",x\nnext,y\n"), "1: two\nlines|x\n3: next|y\n");
  EXPECT_EQ(records_of("\"\",\"\"\n"), "1: |\n");
  EXPECT_EQ(records_of("6\" disk,b\n"), "1: 6\" disk|b\n") << "a quote inside a value is kept";
}

TEST(Csv, ContinuesAfterABadLine) {
  EXPECT_EQ(records_of("a,\"b\n1,2\n"), "1! a quote is not closed\n2: 1|2\n");
  EXPECT_EQ(records_of("\"a\"b,c\n1,2\n"),
            "1! text after a closing quote; write a quote inside quotes twice\n2: 1|2\n");
}

TEST(Csv, AnUnclosedQuoteOnlyCostsItsLine) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "\"x\"\",1\n";  // each has a quote that is not closed
  const std::string result = records_of(text + "good,2\n");
  EXPECT_TRUE(result.ends_with("20001: good|2\n")) << result.substr(result.size() - 100);
}

TEST(Csv, FindsTheSeparatorInTheHeader) {
  EXPECT_EQ(separator_of("a,b;c\tx\n1\t2"), ',');
  EXPECT_EQ(separator_of("a\tb;c"), '\t');
  EXPECT_EQ(separator_of("a;b\nc,d"), ';');
  EXPECT_EQ(separator_of("single"), ',');
  EXPECT_EQ(records_of("a\tb\n1\t\n", '\t'), "1: a|b\n2: 1|\n");
}

}  // namespace
}  // namespace muster::trace
