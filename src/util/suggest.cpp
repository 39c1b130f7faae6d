// The restricted Damerau-Levenshtein distance: no part of a name is edited twice.
#include "util/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace muster {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool same(char a, char b) { return lower(a) == lower(b); }

// The smallest number of edits that turn one text into the other. An edit inserts, removes or replaces a
// letter, or swaps it with the next one.
std::size_t distance(std::string_view a, std::string_view b) {
  // Three rows of the table: for the first i-2, i-1 and i letters of a.
  std::vector<std::size_t> older(b.size() + 1), old(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(older, old);
    std::swap(old, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = old[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({old[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view name, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : known) {
    const std::size_t d = distance(name, candidate);
    if (3 * d > std::max(name.size(), candidate.size())) continue;
    if (!best.empty() && d >= best_distance) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::vector<std::string_view> nearest_of(std::string_view name, std::span<const std::string_view> known,
                                         std::size_t most) {
  std::vector<std::pair<std::size_t, std::string_view>> ranked;
  for (const std::string_view candidate : known) ranked.emplace_back(distance(name, candidate), candidate);
  std::ranges::stable_sort(ranked, {}, [](const auto& pair) { return pair.first; });
  std::vector<std::string_view> names;
  for (const auto& pair : ranked)
    if (names.size() < most) names.push_back(pair.second);
  return names;
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> known) {
  const std::string_view best = nearest(name, known);
  if (best.empty()) return "";
  return "; did you mean \"" + std::string(best) + "\"?";
}

}  // namespace muster
