// Unpacks gzip, zstd and zip, which are recognized by their first bytes.
//
// Sizes stated in an archive are never trusted: memory grows with the unpacked data, up to a limit. Errors
// contain only the message; the caller knows the file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "document/text_area.hpp"
#include "util/result.hpp"

namespace muster {

// The most bytes that one file may unpack to. A small result is always harmless. A larger one must be in
// proportion to the packed size, so that a small file cannot fill the memory.
struct UnpackLimits {
  std::size_t always = std::size_t{1} << 30;
  std::size_t times = 100;  // times the packed size; text rarely compresses better
  std::size_t most = std::size_t{8} << 30;
  std::size_t entries = 100'000;  // in a zip archive

  std::size_t of(std::size_t packed) const;
};

enum class Packing { kNone, kGzip, kZstd, kZip, kOther };
// kOther: known but not supported, including tar archives.
Packing packing_of(std::string_view bytes);
// For example "xz". REQUIRES: packing_of() is kOther.
std::string_view name_of_other_packing(std::string_view bytes);

// Several members or frames in sequence are one text.
Result<TextArea> unpacked_gzip(std::string_view packed, std::size_t most);
Result<TextArea> unpacked_zstd(std::string_view packed, std::size_t most);

struct UnzipLimits {
  std::size_t bytes, entries;
};
// Calls `use` or `fail` for every manifest in the archive, with its name; calls `fail` with an empty name if
// the archive as a whole cannot be read. The limits apply to all entries together and include damaged
// entries. Overlapping entries, which archivers never write, end the reading.
void unzip(std::string_view packed, const std::function<void(const std::string& name, TextArea)>& use,
           const std::function<void(const std::string& name, const std::string& message)>& fail,
           const UnzipLimits& limits);

// For example "unpacks to more than 1 GiB, …", with advice.
std::string more_than(std::size_t most);

}  // namespace muster
