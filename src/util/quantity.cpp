// Reads a quantity as digits, the position of the decimal point and a power of two, then calculates with
// integers.
#include "util/quantity.hpp"

#include <algorithm>
#include <limits>

#include "util/int128.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
// No text is long enough for a larger exponent to make a difference.
constexpr std::int64_t kFarExponent = 1'000'000'000'000;

// value = sign · 0.<digits> · 10^point · 2^shift. The digits are those of `whole` followed by those of
// `fraction`.
struct Number {
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t point = 0;
  int shift = 0;

  std::int64_t size() const { return static_cast<std::int64_t>(whole.size() + fraction.size()); }
  unsigned digit(std::int64_t at) const {
    if (at < 0 || at >= size()) return 0;
    const auto i = static_cast<std::size_t>(at);
    return static_cast<unsigned>((i < whole.size() ? whole[i] : fraction[i - whole.size()]) - '0');
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const auto digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

bool take_sign(std::string_view& text) {
  const bool negative = take(text, '-');
  if (!negative) take(text, '+');
  return negative;
}

// Parses the rest of the text after e or E: a whole number with an optional sign.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  const bool negative = take_sign(text);
  const auto digits = take_digits(text);
  if (digits.empty() || !text.empty()) return {};
  std::int64_t exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), kFarExponent);
  return negative ? -exponent : exponent;
}

bool apply_suffix(std::string_view suffix, Number& n) {
  static constexpr std::string_view kSmall = "mun", kLarge = "kMGTPE", kBinary = "KMGTPE";
  if (suffix.empty()) return true;
  if (suffix.size() == 1) {
    if (const auto i = kSmall.find(suffix[0]); i != kSmall.npos) {
      n.point -= 3 * static_cast<std::int64_t>(i + 1);
      return true;
    }
    const auto i = kLarge.find(suffix[0]);
    if (i == kLarge.npos) return false;
    n.point += 3 * static_cast<std::int64_t>(i + 1);
    return true;
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const auto i = kBinary.find(suffix[0]);
    if (i == kBinary.npos) return false;
    n.shift = 10 * static_cast<int>(i + 1);
    return true;
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') return false;
  const auto exponent = parse_exponent(suffix.substr(1));
  if (exponent) n.point += *exponent;
  return exponent.has_value();
}

std::optional<Number> parse(std::string_view text) {
  Number n;
  n.negative = take_sign(text);
  n.whole = take_digits(text);
  if (take(text, '.')) n.fraction = take_digits(text);
  if (n.size() == 0) return {};
  while (n.whole.starts_with('0')) n.whole.remove_prefix(1);
  n.point = static_cast<std::int64_t>(n.whole.size());
  if (!apply_suffix(text, n)) return {};
  return n;
}

// The digits before the point, or any number above kMost if they exceed it.
Int128 whole_part(const Number& n) {
  Int128 whole = 0;
  // Twenty zeros after the last given digit take any nonzero number past kMost.
  const std::int64_t end = std::min(n.point, n.size() + 20);
  for (std::int64_t i = 0; i < end && whole <= kMost; ++i) whole = whole * 10 + n.digit(i);
  return whole;
}

// The digits after the point times 2^shift, rounded up. From the last digit to the first, each step divides
// by ten and remembers whether there was a remainder, so the result is exact for any number of digits.
std::int64_t scaled_fraction(const Number& n) {
  const std::uint64_t scale = std::uint64_t{1} << n.shift;
  std::uint64_t sum = 0;
  bool cut = false;
  const auto push = [&](unsigned digit) {
    sum += digit * scale;  // below 10 · 2^60
    cut |= sum % 10 != 0;
    sum /= 10;
  };
  const std::int64_t first = std::max<std::int64_t>(n.point, 0);
  for (std::int64_t i = n.size() - 1; i >= first; --i) push(n.digit(i));
  // Zeros between the point and the first digit; 2^60 has 19 digits.
  for (std::int64_t zeros = std::min<std::int64_t>(-n.point, 20); zeros > 0; --zeros) push(0);
  return static_cast<std::int64_t>(sum) + (cut ? 1 : 0);
}

std::optional<std::int64_t> count(std::string_view text, int decimals) {
  auto n = parse(text);
  if (!n) return {};
  n->point += decimals;
  const Int128 magnitude = (whole_part(*n) << n->shift) + scaled_fraction(*n);  // below 2^127
  if (magnitude > kMost) return n->negative ? kLeast : kMost;
  const auto units = static_cast<std::int64_t>(magnitude);
  return n->negative ? -units : units;
}

}  // namespace

std::optional<std::int64_t> quantity_value(std::string_view text) { return count(text, 0); }
std::optional<std::int64_t> quantity_milli(std::string_view text) { return count(text, 3); }

}  // namespace muster
