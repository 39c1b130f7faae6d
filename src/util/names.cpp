// Natural order of names, and lists of names in which runs of consecutive numbers are combined.
#include "util/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster {
namespace {

constexpr std::size_t kMostPieces = 4;
constexpr std::size_t kShortestRun = 3;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the digits at the front of `text` and returns them without leading zeros.
std::string_view take_number(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
  return digits;
}

struct Numbered {
  std::string_view stem;
  std::int64_t number = -1;  // -1: the name does not end in a number
};

Numbered numbered(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  const std::string_view digits = name.substr(begin);
  Numbered parts{name.substr(0, begin)};
  const bool is_plain =
      !digits.empty() && digits.size() < 18 && (digits.size() == 1 || digits.front() != '0');
  if (is_plain) std::from_chars(digits.data(), digits.data() + digits.size(), parts.number);
  return parts;
}

bool follows(std::string_view earlier, std::string_view later) {
  const Numbered a = numbered(earlier), b = numbered(later);
  return a.number >= 0 && b.number == a.number + 1 && a.stem == b.stem;
}

struct Piece {
  std::string text;
  std::size_t names = 1;
};

std::vector<Piece> pieces_of(const std::vector<std::string>& names) {
  std::vector<Piece> pieces;
  for (std::size_t begin = 0, end = 0; begin < names.size(); begin = end) {
    for (end = begin + 1; end < names.size() && follows(names[end - 1], names[end]);) ++end;
    if (end - begin < kShortestRun) end = begin + 1;
    pieces.push_back(end - begin == 1 ? Piece{names[begin]}
                                      : Piece{names[begin] + " … " + names[end - 1], end - begin});
  }
  return pieces;
}

std::string joined(const std::vector<Piece>& pieces) {
  const std::size_t shown = pieces.size() > kMostPieces ? kMostPieces - 1 : pieces.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += (i == 0 ? "" : ", ") + pieces[i].text;
  std::size_t rest = 0;
  for (std::size_t i = shown; i < pieces.size(); ++i) rest += pieces[i].names;
  return rest == 0 ? text : fmt::format("{} and {} more", text, grouped(rest));
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;
}

std::string summarised(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), natural_less);
  return joined(pieces_of(names));
}

std::string summarised(const Tally& tally) {
  const bool has_counts =
      std::any_of(tally.begin(), tally.end(), [](const auto& entry) { return entry.second > 1; });
  std::vector<Piece> pieces;
  for (const auto& [name, count] : tally)
    pieces.push_back({has_counts ? fmt::format("{} ({})", name, grouped(count)) : name});
  return joined(pieces);
}

}  // namespace muster
