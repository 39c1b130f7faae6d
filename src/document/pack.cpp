// Writes one zstd frame with the size in its header.
#include "document/pack.hpp"

#include <zstd.h>

#include <cassert>

namespace muster {

std::string packed_by_zstd(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), ZSTD_CLEVEL_DEFAULT);
  assert(ZSTD_isError(size) == 0 && "the buffer has room for any text");
  packed.resize(size);
  return packed;
}

}  // namespace muster
