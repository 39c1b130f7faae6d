// Compares semantic versions and values, and names the types of values.
#include "cel/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "util/printable.hpp"

namespace muster::cel {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Parses a number without leading zeros.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  if (!is_number(text) || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-";
  return !text.empty() && text.find_first_not_of(kLetters) == std::string_view::npos;
}

// Numbers come before words. Numbers are ordered by value, words by their letters.
std::strong_ordering compare_identifiers(const std::string& a, const std::string& b) {
  const bool a_number = is_number(a), b_number = is_number(b);
  if (a_number && b_number && a.size() != b.size()) return a.size() <=> b.size();
  if (a_number != b_number) return b_number <=> a_number;
  return a.compare(b) <=> 0;
}

}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  Version version;
  text = text.substr(0, text.find('+'));
  const std::size_t dash = text.find('-');
  std::string_view numbers = text.substr(0, dash);
  if (std::count(numbers.begin(), numbers.end(), '.') != 2) return std::nullopt;
  for (std::int64_t* part : {&version.major, &version.minor, &version.patch}) {
    const auto number = number_in(take_until(numbers, '.'));
    if (!number) return std::nullopt;
    *part = *number;
  }
  if (dash == std::string_view::npos) return version;
  std::string_view rest = text.substr(dash + 1);
  for (bool more = true; more;) {
    more = rest.find('.') != std::string_view::npos;
    const std::string_view part = take_until(rest, '.');
    if (!is_identifier(part) || (is_number(part) && part.size() > 1 && part[0] == '0')) return std::nullopt;
    version.pre_release.emplace_back(part);
  }
  return version;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  for (const auto part : {&Version::major, &Version::minor, &Version::patch})
    if (this->*part != other.*part) return this->*part <=> other.*part;
  if (pre_release.empty() != other.pre_release.empty())
    return pre_release.empty() <=> other.pre_release.empty();
  return std::lexicographical_compare_three_way(pre_release.begin(), pre_release.end(),
                                                other.pre_release.begin(), other.pre_release.end(),
                                                compare_identifiers);
}

// Expressions quote text of any length.
Value failure(std::string_view why) {
  constexpr std::size_t kLongest = 200;
  if (why.size() <= kLongest) return Failure{std::string(why)};
  return Failure{beginning_of(why, kLongest) + "..."};
}

std::string_view type_name(const Value& value) {
  constexpr std::array<std::string_view, 9> kNames{
      "a failure",          "a truth value", "a number",         "text", "a quantity", "a version",
      "a part of a device", "a list",        "an optional value"};
  return kNames[value.index()];
}

bool equal(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (const List* list = a.as<List>())
    return std::equal(list->begin(), list->end(), b.as<List>()->begin(), b.as<List>()->end(), equal);
  if (const auto* optional = a.as<Optional>()) {
    const auto &left = optional->value, &right = b.as<Optional>()->value;
    return left && right ? equal(*left, *right) : !left && !right;
  }
  if (const auto* part = a.as<DevicePart>()) return *part == *b.as<DevicePart>();
  if (const auto* truth = a.as<bool>()) return *truth == *b.as<bool>();
  if (const auto* number = a.as<std::int64_t>()) return *number == *b.as<std::int64_t>();
  if (const auto* text = a.as<std::string>()) return *text == *b.as<std::string>();
  if (const auto* quantity = a.as<Quantity>()) return *quantity == *b.as<Quantity>();
  if (const auto* version = a.as<Version>()) return *version == *b.as<Version>();
  return false;
}

}  // namespace muster::cel
