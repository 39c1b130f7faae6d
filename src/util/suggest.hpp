// Finds the nearest known name, for messages such as "unknown plugin "proporton"; did you mean
// "proportion"?".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Returns the first of the nearest names, or "" if more than a third of the letters differ. Letter case is
// ignored, and swapping two neighbours counts as one difference.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);
// Up to `most` names, the nearest first, at any distance.
std::vector<std::string_view> nearest_of(std::string_view name, std::span<const std::string_view> known,
                                         std::size_t most);
// Returns "" or "; did you mean \"...\"?".
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace muster
