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

inline constexpr std::size_t kMostUnpacked = std::size_t{8} << 30;  // bytes, of one file

enum class Packing { kNone, kGzip, kZstd, kZip, kOther };
// kOther: known, and not read. A tar archive is one, too.
Packing packing_of(std::string_view bytes);
// "xz", of what is known and not read.
std::string_view name_of_other_packing(std::string_view bytes);

// Several members, or frames, one after the other are one text.
Result<TextArea> unpacked_gzip(std::string_view packed, std::size_t most = kMostUnpacked);
Result<TextArea> unpacked_zstd(std::string_view packed, std::size_t most = kMostUnpacked);

// Calls `use` or `fail` for every manifest of the archive, by its name; `fail` without a name where the
// archive as a whole can not be read. The limit is for all of them together.
void unzip(std::string_view packed, const std::function<void(const std::string& name, TextArea)>& use,
           const std::function<void(const std::string& name, const std::string& message)>& fail,
           std::size_t most = kMostUnpacked);

// "unpacks to more than 8 GiB, which is the most that is read"
std::string more_than(std::size_t most);

}  // namespace muster
