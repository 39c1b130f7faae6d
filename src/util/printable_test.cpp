// The characters that are escaped, and those that are not.
#include "util/printable.hpp"

#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::string_view_literals;

TEST(Printable, DoesNotChangeWords) {
  for (const char* text :
       {"", "train-0", "größe 画像 → ∞ … 😀", "C:\\new \\x1b \"quoted\" 'it' {} %s", "e\u0301", "שלום"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(printable("one\ntwo\r\n\tthree"), "one\\ntwo\\r\\n\\tthree");
  EXPECT_EQ(printable("\0\x07\x08\x1f\x7f"sv), "\\x00\\x07\\x08\\x1f\\x7f");
  EXPECT_EQ(printable("\u0080\u0085\u009b2J\u009f\u00a0"), "\\u0080\\u0085\\u009b2J\\u009f\u00a0");
}

TEST(Printable, EscapesDirectionMarksAndSeparators) {
  EXPECT_EQ(printable("\u202a\u202b\u202c\u202d\u202e"), "\\u202a\\u202b\\u202c\\u202d\\u202e");
  EXPECT_EQ(printable("\u2066\u2067\u2068\u2069"), "\\u2066\\u2067\\u2068\\u2069");
  EXPECT_EQ(printable("\u200e\u200f\u061c\u2028\u2029"), "\\u200e\\u200f\\u061c\\u2028\\u2029");
  EXPECT_EQ(printable("\u2029\u202f\u2065\u206a\u200d\u2030"), "\\u2029\u202f\u2065\u206a\u200d\u2030")
      << "but not their neighbours";
}

TEST(Printable, EscapesInvalidUtf8) {
  EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J")
      << "C1 as one byte";
  EXPECT_EQ(printable("\xc2"), "\\xc2") << "cut off";
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80");
  EXPECT_EQ(printable("\xe2\x80\x1b"), "\\xe2\\x80\\x1b") << "an escape character inside a character";
  EXPECT_EQ(printable("\xc0\x9b\xe0\x82\x9b"), "\\xc0\\x9b\\xe0\\x82\\x9b") << "C1 in overlong forms";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a surrogate pair";
  EXPECT_EQ(printable("\xf4\x90\x80\x80\xf5"), "\\xf4\\x90\\x80\\x80\\xf5") << "beyond the last character";
  EXPECT_EQ(printable("\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf"), "\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf");
}

TEST(BeginningOf, EndsBetweenCharacters) {
  EXPECT_EQ(beginning_of("abc", 3), "abc");
  EXPECT_EQ(beginning_of("abc", 2), "ab");
  EXPECT_EQ(beginning_of("a…b", 4), "a…");
  EXPECT_EQ(beginning_of("a…b", 3), "a");
  EXPECT_EQ(beginning_of("a…b", 2), "a");
  EXPECT_EQ(beginning_of("…", 1), "");
}

TEST(Printable, IsIdempotent) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const std::string once = printable(all);
  EXPECT_EQ(printable(once), once);
  for (const char c : once) EXPECT_TRUE(c >= ' ' && c <= '~') << once;
}

}  // namespace
}  // namespace muster
