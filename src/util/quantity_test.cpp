// Quantities and their values in Kubernetes.
#include "util/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace muster {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

TEST(Quantity, IsCountedInUnitsAndThousandths) {
  const struct {
    const char* text;
    std::int64_t value, milli;
  } cases[] = {
      {"0", 0, 0},
      {"-0", 0, 0},
      {"00012", 12, 12'000},
      {"+3", 3, 3'000},
      {"-3", -3, -3'000},
      {"500m", 1, 500},
      {"1500m", 2, 1'500},
      {"0.5", 1, 500},
      {".5", 1, 500},
      {"5.", 5, 5'000},
      {"1.5", 2, 1'500},
      {"1.0000", 1, 1'000},
      // Finer than a thousandth: rounded up, away from zero.
      {"1u", 1, 1},
      {"1n", 1, 1},
      {"1000001n", 1, 2},
      {"1000000n", 1, 1},
      {"0.0005", 1, 1},
      {"1e-30", 1, 1},
      {"-1u", -1, -1},
      {"-1.5", -2, -1'500},
      {"-2.0001", -3, -2'001},
      {"1.0000000000000000000000000000000000000000001", 2, 1'001},
      // Decimal.
      {"1k", 1'000, 1'000'000},
      {"20G", 20'000'000'000, 20'000'000'000'000},
      {"1.5M", 1'500'000, 1'500'000'000},
      {"2T", 2'000'000'000'000, 2'000'000'000'000'000},
      {"3P", 3'000'000'000'000'000, 3'000'000'000'000'000'000},
      {"1E", 1'000'000'000'000'000'000, kMost},
      {"0.001k", 1, 1'000},
      // Binary.
      {"1Ki", 1'024, 1'024'000},
      {"1Mi", 1'048'576, 1'048'576'000},
      {"64Gi", 68'719'476'736, 68'719'476'736'000},
      {"1.5Gi", 1'610'612'736, 1'610'612'736'000},
      {"1Ti", std::int64_t{1} << 40, 1'099'511'627'776'000},
      {"1Pi", std::int64_t{1} << 50, (std::int64_t{1} << 50) * 1'000},
      {"7Ei", 7 * (std::int64_t{1} << 60), kMost},
      {"0.1Ki", 103, 102'400},
      {".5Ki", 512, 512'000},
      {"0.0009765625Ki", 1, 1'000},
      {"0.00097656250000000000000000000000000000000001Ki", 2, 1'001},
      {"0.0000000000000000008673617379884035472059622406959533691406250Ei", 1, 1'000},  // 2^-60
      {"-1.0001Ki", -1'025, -1'024'103},
      // Exponents.
      {"1e3", 1'000, 1'000'000},
      {"1E3", 1'000, 1'000'000},
      {"1.25e+2", 125, 125'000},
      {"12e-1", 2, 1'200},
      {"1E0", 1, 1'000},
      {"0e999999999999999999999999", 0, 0},
      {"0.00e5", 0, 0},
      {"00000000000000000000000000000000000000001", 1, 1'000},
      // At the limits of int64, and beyond.
      {"9223372036854775807", kMost, kMost},
      {"9223372036854775806.5", kMost, kMost},
      {"9223372036854775806", kMost - 1, kMost},
      {"9223372036854775.807", 9'223'372'036'854'776, kMost},
      {"9223372036854775808", kMost, kMost},
      {"-9223372036854775807", -kMost, kLeast},
      {"-9223372036854775808", kLeast, kLeast},
      {"-1e99", kLeast, kLeast},
      {"8Ei", kMost, kMost},
      {"99999999999999999999999999Ei", kMost, kMost},
      {"1e999999999999999999999999", kMost, kMost},
      {"1e-999999999999999999999999", 1, 1},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(quantity_value(c.text), c.value) << c.text;
    EXPECT_EQ(quantity_milli(c.text), c.milli) << c.text;
  }
}

TEST(Quantity, ZerosAndExponentsCancel) {
  const std::string zeros(1'000, '0');
  EXPECT_EQ(quantity_value("7" + zeros + "e-1000"), 7);
  EXPECT_EQ(quantity_value("0." + zeros + "7e1001"), 7);
  EXPECT_EQ(quantity_milli("0." + zeros + "7e1001"), 7'000);
}

TEST(Quantity, RefusesOtherTexts) {
  for (const char* text :
       {"",      "+",   "-",    ".",   "-.",    "+-1",  "--1",      "Ki",    "m",    "e3",
        " 1",    "1 ",  "1 Gi", "1K",  "1ki",   "1KI",  "1i",       "1mi",   "1Gib", "1GB",
        "1g",    "1t",  "1e",   "1e+", "1e1.5", "1e3k", "1E3Ki",    "1.2.3", "1,5",  "0x10",
        "1_000", "inf", "nan",  "abc", "1Gi2",  "1mm",  "\xc2\xb5", "1Zi",   "1Y"}) {
    EXPECT_EQ(quantity_value(text), std::nullopt) << text;
    EXPECT_EQ(quantity_milli(text), std::nullopt) << text;
  }
  EXPECT_EQ(quantity_value(std::string_view("1\0", 2)), std::nullopt);
}

TEST(Quantity, ReadsBackWholeNumbers) {
  for (std::int64_t n = 1; n > 0 && n < kMost / 3; n = n * 3 + 1) {
    EXPECT_EQ(quantity_value(std::to_string(n)), n);
    EXPECT_EQ(quantity_value("-" + std::to_string(n)), -n);
    EXPECT_EQ(quantity_milli(std::to_string(n) + "m"), n);
    EXPECT_EQ(quantity_value(std::to_string(n) + "000000000n"), n);
  }
}

}  // namespace
}  // namespace muster
