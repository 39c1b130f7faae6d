// The manifests of a zip archive in memory, through minizip.
#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "document/manifest_names.hpp"
#include "document/unpack.hpp"

namespace muster {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr unsigned long kEncrypted = 1;  // of the flags of an entry
constexpr std::string_view kEmptyZip = "PK\x05\x06";
constexpr const char* kNoManifest = "is a zip archive without a *.json, *.yaml or *.yml file";

// ---- minizip's files, over bytes in memory

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
};

bool is_current_entry(unzFile zip, Entry& entry) {
  unz_file_info64 info{};
  if (::unzGetCurrentFileInfo64(zip, &info, nullptr, 0, nullptr, 0, nullptr, 0) != UNZ_OK) return false;
  entry = {std::string(info.size_filename, '\0'), info.flag, info.compression_method};
  return ::unzGetCurrentFileInfo64(zip, nullptr, entry.name.data(), info.size_filename, nullptr, 0, nullptr,
                                   0) == UNZ_OK;
}

// Why an entry can not be read; "" if it can.
std::string obstacle_of(const Entry& entry) {
  if ((entry.flags & kEncrypted) != 0) return "is encrypted; unpack it first";
  if (entry.method != 0 && entry.method != Z_DEFLATED)
    return fmt::format("is compressed in a way that is not read (method {}); unpack it first", entry.method);
  return "";
}

Result<TextArea> piece_by_piece(unzFile zip, std::size_t most) {
  TextArea text;
  for (;;) {
    char* const room = text.room(kPiece);
    if (room == nullptr) return Error{"there is not enough memory to unpack it", {}};
    const int got = ::unzReadCurrentFile(zip, room, kPiece);
    if (got < 0) return Error{"is damaged", {}};
    if (got == 0) return text;
    text.grew(static_cast<std::size_t>(got));
    if (text.size() > most) return Error{"", {}};
  }
}

// An error without a message: it is too large.
Result<TextArea> unpacked_entry(unzFile zip, const Entry& entry, std::size_t most) {
  if (std::string obstacle = obstacle_of(entry); !obstacle.empty()) return Error{std::move(obstacle), {}};
  if (::unzOpenCurrentFile(zip) != UNZ_OK) return Error{"is damaged", {}};
  auto text = piece_by_piece(zip, most);
  const bool is_whole = ::unzCloseCurrentFile(zip) == UNZ_OK;
  if (text && !is_whole) return Error{"is damaged: its checksum is wrong", {}};
  return text;
}

class Unzipping {
 public:
  using Use = std::function<void(const std::string&, TextArea)>;
  using Fail = std::function<void(const std::string&, const std::string&)>;
  Unzipping(unzFile zip, const Use& use, const Fail& fail, std::size_t most)
      : zip_(zip), use_(use), fail_(fail), most_(most), left_(most) {}

  void run() {
    int code = ::unzGoToFirstFile(zip_);
    for (Entry entry; code == UNZ_OK; code = ::unzGoToNextFile(zip_)) {
      if (!is_current_entry(zip_, entry)) break;
      if (is_wanted(entry) && !take(entry)) return fail_("", more_than(most_));
    }
    if (code != UNZ_END_OF_LIST_OF_FILE) return fail_("", "is damaged: its directory can not be read");
    if (!found_) fail_("", kNoManifest);
  }

 private:
  static bool is_wanted(const Entry& entry) {
    return has_manifest_name(entry.name) || has_archive_name(entry.name);
  }

  // False if it is too large.
  bool take(const Entry& entry) {
    found_ = true;
    auto text = unpacked_entry(zip_, entry, left_);
    if (!text && text.error().message.empty()) return false;
    if (!text) return fail_(entry.name, text.error().message), true;
    left_ -= text->size();
    use_(entry.name, std::move(*text));
    return true;
  }

  const unzFile zip_;
  const Use& use_;
  const Fail& fail_;
  const std::size_t most_;
  std::size_t left_;
  bool found_ = false;
};

}  // namespace

void unzip(std::string_view packed, const std::function<void(const std::string&, TextArea)>& use,
           const std::function<void(const std::string&, const std::string&)>& fail, std::size_t most) {
  if (packed.starts_with(kEmptyZip)) return fail("", kNoManifest);
  BytesInMemory bytes{packed};
  const Zip zip = open_zip(bytes);
  if (zip == nullptr) return fail("", "is damaged or incomplete: the directory at its end is missing");
  Unzipping(zip.get(), use, fail, most).run();
}

}  // namespace muster
