// Text as files have it: compressed where their name says so.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// One frame of zstd.
std::string packed_by_zstd(std::string_view text);

}  // namespace muster
