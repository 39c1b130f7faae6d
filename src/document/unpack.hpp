// What is compressed, told by its first bytes, as the text it was made from: gzip, zstd and zip.
//
// Nothing here trusts a size that an archive names: memory grows with what was unpacked, up to a limit.
// Errors have the message only; the caller knows the file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "document/text_area.hpp"
#include "util/result.hpp"

namespace muster {

// How many bytes one file may become. Little is suspicious, whatever it came from; more must be worth the
// packing, so that a small file can not fill the memory.
struct UnpackLimits {
  std::size_t always = std::size_t{1} << 30;
  std::size_t times = 100;  // the packed size: text hardly packs so well
  std::size_t most = std::size_t{8} << 30;
  std::size_t entries = 100'000;  // of a zip archive

  std::size_t of(std::size_t packed) const;
};

enum class Packing { kNone, kGzip, kZstd, kZip, kOther };
// kOther: known, and not read. A tar archive is one, too.
Packing packing_of(std::string_view bytes);
// "xz", of what is known and not read.
std::string_view name_of_other_packing(std::string_view bytes);

// Several members, or frames, one after the other are one text.
Result<TextArea> unpacked_gzip(std::string_view packed, std::size_t most);
Result<TextArea> unpacked_zstd(std::string_view packed, std::size_t most);

struct UnzipLimits {
  std::size_t bytes, entries;
};
// Calls `use` or `fail` for every manifest of the archive, by its name; `fail` without a name where the
// archive as a whole can not be read. The limits are for all entries together; what entries unpack to counts
// also where it turns out to be damaged. Entries that overlap, as no archiver writes them, end the reading.
void unzip(std::string_view packed, const std::function<void(const std::string& name, TextArea)>& use,
           const std::function<void(const std::string& name, const std::string& message)>& fail,
           const UnzipLimits& limits);

// "unpacks to more than 1 GiB, …", and what to do.
std::string more_than(std::size_t most);

}  // namespace muster
