// Reads the manifests of a zip archive in memory with minizip.
#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "document/manifest_names.hpp"
#include "document/unpack.hpp"
#include "util/words.hpp"

namespace muster {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr unsigned long kEncrypted = 1;  // bit in the flags of an entry
constexpr std::string_view kEmptyZip = "PK\x05\x06";
constexpr const char* kNoManifest = "is a zip archive without a *.json, *.yaml or *.yml file";

// ---- minizip's file functions over bytes in memory

struct BytesInMemory {
  std::string_view all;
  ZPOS64_T at = 0;
};

BytesInMemory& bytes_of(void* stream) { return *static_cast<BytesInMemory*>(stream); }

void* open_bytes(void* bytes, const void*, int) { return bytes; }

uLong read_bytes(void*, void* stream, void* out, uLong size) {
  BytesInMemory& bytes = bytes_of(stream);
  if (bytes.at >= bytes.all.size()) return 0;
  const std::string_view part = bytes.all.substr(bytes.at, size);
  std::memcpy(out, part.data(), part.size());
  bytes.at += part.size();
  return static_cast<uLong>(part.size());
}

ZPOS64_T position_of_bytes(void*, void* stream) { return bytes_of(stream).at; }

long seek_bytes(void*, void* stream, ZPOS64_T offset, int origin) {
  BytesInMemory& bytes = bytes_of(stream);
  const ZPOS64_T base = origin == ZLIB_FILEFUNC_SEEK_CUR   ? bytes.at
                        : origin == ZLIB_FILEFUNC_SEEK_END ? bytes.all.size()
                                                           : 0;
  if (base + offset > bytes.all.size()) return -1;
  bytes.at = base + offset;
  return 0;
}

int no_failure(void*, void*) { return 0; }

struct CloseZip {
  void operator()(void* zip) const { ::unzClose(zip); }
};
using Zip = std::unique_ptr<void, CloseZip>;

Zip open_zip(BytesInMemory& bytes) {
  zlib_filefunc64_def files{.zopen64_file = open_bytes,
                            .zread_file = read_bytes,
                            .zwrite_file = nullptr,
                            .ztell64_file = position_of_bytes,
                            .zseek64_file = seek_bytes,
                            .zclose_file = no_failure,
                            .zerror_file = no_failure,
                            .opaque = &bytes};
  return Zip(::unzOpen2_64("", &files));
}

// ---- entries

struct Entry {
  std::string name;
  unsigned long flags = 0, method = 0;
  std::uint64_t packed = 0;  // bytes
};

bool is_current_entry(unzFile zip, Entry& entry) {
  unz_file_info64 info{};
  if (::unzGetCurrentFileInfo64(zip, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) return false;
  entry = {std::string(info.size_filename, '\0'), info.flag, info.compression_method, info.compressed_size};
  return ::unzGetCurrentFileInfo64(zip, nullptr, entry.name.data(), info.size_filename, nullptr, 0, nullptr,
                                   0) == UNZ_OK;
}

// Why an entry cannot be read, or "".
std::string obstacle_of(const Entry& entry) {
  if ((entry.flags & kEncrypted) != 0) return "is encrypted; unpack it first";
  if (entry.method != 0 && entry.method != Z_DEFLATED)
    return fmt::format("uses compression method {}, which is not supported; unpack it first", entry.method);
  return "";
}

// The byte ranges of the entries. Archivers never write overlapping entries. A malicious archive may contain
// thousands of entries with the same bytes, which would take very long to unpack.
class EntryBytes {
 public:
  // Returns false if one of the bytes belongs to another entry.
  bool take(std::uint64_t from, std::uint64_t to) {
    const auto next = ends_.lower_bound(from);
    if (next != ends_.end() && next->first < to) return false;
    if (next != ends_.begin() && std::prev(next)->second > from) return false;
    ends_.emplace_hint(next, from, to);
    return true;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;  // end of each range, by its start
};

class Unzipping {
 public:
  using Use = std::function<void(const std::string&, TextArea)>;
  using Fail = std::function<void(const std::string&, const std::string&)>;
  Unzipping(unzFile zip, const Use& use, const Fail& fail, const UnzipLimits& limits)
      : zip_(zip), use_(use), fail_(fail), limits_(limits), bytes_left_(limits.bytes) {}

  void run() {
    unz_global_info64 all{};
    if (::unzGetGlobalInfo64(zip_, &all) == UNZ_OK && all.number_entry > limits_.entries)
      return fail_("", too_many_entries(all.number_entry));
    int code = ::unzGoToFirstFile(zip_);
    std::size_t seen = 0;  // the directory may have more entries than it states
    for (Entry entry; code == UNZ_OK; code = ::unzGoToNextFile(zip_)) {
      if (!is_current_entry(zip_, entry)) break;
      if (++seen > limits_.entries) return fail_("", too_many_entries(seen));
      if (!is_wanted(entry)) continue;
      found_ = true;
      if (const std::string obstacle = take(entry); !obstacle.empty()) return fail_("", obstacle);
    }
    if (code != UNZ_END_OF_LIST_OF_FILE) return fail_("", "is damaged: its directory cannot be read");
    if (!found_) fail_("", kNoManifest);
  }

 private:
  static bool is_wanted(const Entry& entry) {
    return has_manifest_name(entry.name) || has_archive_name(entry.name);
  }
  std::string too_many_entries(std::uint64_t count) const {
    return fmt::format("contains {} files, but at most {} per archive are supported; unpack it first",
                       grouped(count), grouped(limits_.entries));
  }

  // Returns why reading the archive must end, or "". A mistake in one entry does not end it.
  std::string take(const Entry& entry) {
    if (std::string obstacle = obstacle_of(entry); !obstacle.empty()) return fail_(entry.name, obstacle), "";
    if (::unzOpenCurrentFile(zip_) != UNZ_OK) return fail_(entry.name, "is damaged"), "";
    const bool is_apart = take_bytes(entry);
    auto text = is_apart ? unpacked() : Error{"", {}};
    const bool is_whole = ::unzCloseCurrentFile(zip_) == UNZ_OK;
    if (!is_apart)
      return fmt::format("is refused because its files overlap (\"{}\" and an earlier one)", entry.name);
    if (is_too_large_) return more_than(limits_.bytes);
    if (!text)
      fail_(entry.name, text.error().message);
    else if (!is_whole)
      fail_(entry.name, "is damaged: its checksum is wrong");
    else
      use_(entry.name, std::move(*text));
    return "";
  }

  // Claims the bytes of the open entry: its header, without the name, and its packed content.
  bool take_bytes(const Entry& entry) {
    constexpr std::uint64_t kHeader = 30;
    const std::uint64_t data = ::unzGetCurrentFileZStreamPos64(zip_);
    return taken_.take(
        data - std::min(kHeader, data),
        data + std::min<std::uint64_t>(entry.packed, std::numeric_limits<std::int64_t>::max()));
  }

  // The unpacked size counts even if the content cannot be used, because it determines the time spent.
  Result<TextArea> unpacked() {
    TextArea text;
    for (;;) {
      const int got = ::unzReadCurrentFile(zip_, piece_.data(), static_cast<unsigned>(piece_.size()));
      if (got < 0) return Error{"is damaged", {}};
      if (got == 0) return text;
      const auto size = static_cast<std::size_t>(got);
      is_too_large_ = size > bytes_left_;
      if (is_too_large_) return text;
      bytes_left_ -= size;
      char* const room = text.room(size);
      if (room == nullptr) return Error{"not enough memory to unpack it", {}};
      std::memcpy(room, piece_.data(), size);
      text.grew(size);
    }
  }

  const unzFile zip_;
  const Use& use_;
  const Fail& fail_;
  const UnzipLimits limits_;
  std::size_t bytes_left_;
  EntryBytes taken_;
  std::vector<char> piece_ = std::vector<char>(kPiece);
  bool found_ = false, is_too_large_ = false;
};

}  // namespace

void unzip(std::string_view packed, const std::function<void(const std::string&, TextArea)>& use,
           const std::function<void(const std::string&, const std::string&)>& fail,
           const UnzipLimits& limits) {
  if (packed.starts_with(kEmptyZip)) return fail("", kNoManifest);
  BytesInMemory bytes{packed};
  const Zip zip = open_zip(bytes);
  if (zip == nullptr) return fail("", "is damaged or incomplete: the directory at its end is missing");
  Unzipping(zip.get(), use, fail, limits).run();
}

}  // namespace muster
