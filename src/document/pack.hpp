// Compresses the text of files with names such as cluster.json.zst.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// The text as one zstd frame.
std::string packed_by_zstd(std::string_view text);

}  // namespace muster
