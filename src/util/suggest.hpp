// The nearest known name, for "unknown plugin "proporton"; did you mean "proportion"?".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Empty if nothing is near (more than a third of the letters differ); the first of several equally near.
// Upper and lower case count as the same letter, two neighbours swapped as one mistake.
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);
// At most so many of them, the nearest first, however far they are.
std::vector<std::string_view> nearest_of(std::string_view name, std::span<const std::string_view> known,
                                         std::size_t most);
// "" or "; did you mean \"...\"?"
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace muster
