// Streams data through zlib or libzstd into one growing area.
#include "document/unpack.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace muster {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kStep = std::size_t{1} << 20;
constexpr std::string_view kGzipMagic = "\x1f\x8b"sv, kZstdMagic = "\x28\xb5\x2f\xfd"sv;

struct Magic {
  std::string_view bytes;
  Packing packing;
  std::string_view name;
  std::size_t at = 0;
};

constexpr std::array<Magic, 8> kMagics{{{kGzipMagic, Packing::kGzip, "gzip"},
                                        {kZstdMagic, Packing::kZstd, "zstd"},
                                        {"PK\x03\x04"sv, Packing::kZip, "zip"},
                                        {"PK\x05\x06"sv, Packing::kZip, "zip"},  // an empty archive
                                        {"BZh"sv, Packing::kOther, "bzip2"},
                                        {"\xfd\x37zXZ\0"sv, Packing::kOther, "xz"},
                                        {"\x04\x22\x4d\x18"sv, Packing::kOther, "lz4"},
                                        {"ustar"sv, Packing::kOther, "tar", 257}}};

// A zstd frame without content, as pzstd writes first.
bool is_skippable_frame(std::string_view bytes) {
  return bytes.size() >= 4 && (bytes[0] & '\xf0') == 0x50 && bytes.substr(1, 3) == "\x2a\x4d\x18"sv;
}

const Magic* magic_of(std::string_view bytes) {
  const auto fits = [&](const Magic& magic) {
    return bytes.size() >= magic.at && bytes.substr(magic.at).starts_with(magic.bytes);
  };
  const auto found = std::find_if(kMagics.begin(), kMagics.end(), fits);
  return found == kMagics.end() ? nullptr : &*found;
}

// The result of one library call.
struct Step {
  std::size_t consumed = 0, produced = 0;
  bool at_end = false;  // of a member or frame
  std::string mistake = {};
};

class GzipDecoder {
 public:
  GzipDecoder() { is_ready_ = ::inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK; }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() { ::inflateEnd(&stream_); }

  Step step(std::string_view in, char* out) {
    if (!is_ready_) return {.mistake = "zlib failed to initialize"};
    const std::string_view part = in.substr(0, kStep);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream_.avail_in = static_cast<uInt>(part.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(kStep);
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    const bool is_good = code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
    return {.consumed = part.size() - stream_.avail_in,
            .produced = kStep - stream_.avail_out,
            .at_end = code == Z_STREAM_END,
            .mistake = is_good                  ? ""
                       : stream_.msg == nullptr ? ::zError(code)
                                                : stream_.msg};
  }

  // Zeroes after the last member are padding. Any other bytes must be another member.
  bool goes_on(std::string_view& rest) {
    if (rest.find_first_not_of('\0') == std::string_view::npos) rest = {};
    return !rest.empty() && ::inflateReset(&stream_) == Z_OK;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

class ZstdDecoder {
 public:
  Step step(std::string_view in, char* out) {
    if (stream_ == nullptr) return {.mistake = "libzstd failed to initialize"};
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out, kStep, 0};
    const std::size_t code = ::ZSTD_decompressStream(stream_.get(), &output, &input);
    return {.consumed = input.pos,
            .produced = output.pos,
            .at_end = code == 0,
            .mistake = ::ZSTD_isError(code) != 0 ? ::ZSTD_getErrorName(code) : ""};
  }

  bool goes_on(std::string_view& rest) { return !rest.empty(); }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_{::ZSTD_createDStream()};
};

template <class Decoder>
Result<TextArea> unpacked_by(Decoder&& decoder, std::string_view rest, std::size_t most) {
  TextArea text;
  for (;;) {
    char* const room = text.room(kStep);
    if (room == nullptr) return Error{"not enough memory to unpack it", {}};
    const Step step = decoder.step(rest, room);
    if (!step.mistake.empty()) return Error{"cannot be unpacked: " + step.mistake, {}};
    rest.remove_prefix(step.consumed);
    text.grew(step.produced);
    if (text.size() > most) return Error{more_than(most), {}};
    if (step.at_end && !decoder.goes_on(rest)) return text;
    if (step.consumed == 0 && step.produced == 0 && !step.at_end) return Error{"is truncated", {}};
  }
}

}  // namespace

Packing packing_of(std::string_view bytes) {
  if (is_skippable_frame(bytes)) return Packing::kZstd;
  const Magic* magic = magic_of(bytes);
  return magic == nullptr ? Packing::kNone : magic->packing;
}

std::string_view name_of_other_packing(std::string_view bytes) {
  const Magic* magic = magic_of(bytes);
  return magic == nullptr ? "" : magic->name;
}

Result<TextArea> unpacked_gzip(std::string_view packed, std::size_t most) {
  return unpacked_by(GzipDecoder(), packed, most);
}

Result<TextArea> unpacked_zstd(std::string_view packed, std::size_t most) {
  return unpacked_by(ZstdDecoder(), packed, most);
}

std::size_t UnpackLimits::of(std::size_t packed) const {
  if (packed > most / times) return most;
  return std::max(always, packed * times);
}

std::string more_than(std::size_t most) {
  constexpr std::size_t kGiB = std::size_t{1} << 30;
  const std::string limit = most % kGiB == 0 ? fmt::format("{} GiB", most / kGiB)
                            : most > kGiB    ? fmt::format("{:.1f} GiB", static_cast<double>(most) / kGiB)
                                             : fmt::format("{} bytes", most);
  return fmt::format(
      "unpacks to more than {}, the limit for its compressed size; if that is expected, unpack it first",
      limit);
}

}  // namespace muster
