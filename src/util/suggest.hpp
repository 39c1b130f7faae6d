// The nearest known name, for "unknown plugin "proporton"; did you mean "proportion"?".
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace muster {

// Empty if nothing is near (more than a third of the letters differ).
std::string_view nearest(std::string_view name, std::span<const std::string_view> known);
// "" or "; did you mean \"...\"?"
std::string did_you_mean(std::string_view name, std::span<const std::string_view> known);

}  // namespace muster
