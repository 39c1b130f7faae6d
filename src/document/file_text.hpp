// The content of a file as text, without copying it where that is possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "util/result.hpp"

namespace muster {

// So many bytes behind a text that is to be parsed as JSON must be readable.
inline constexpr std::size_t kJsonPadding = 64;

// The text is followed by readable bytes enough for simdjson to look beyond its end.
class FileText {
 public:
  // "-" is standard input.
  static Result<FileText> open(const std::string& file);

  FileText(FileText&& other) noexcept;
  FileText& operator=(FileText&&) = delete;
  ~FileText();

  std::string_view text() const;

  // Text before the position will not be looked at again: from time to time its memory is given back.
  void forget_before(const char* position);

 private:
  FileText() = default;

  std::string read_;        // pipes and terminals are read …
  char* mapped_ = nullptr;  // … regular files mapped
  std::size_t mapped_size_ = 0;
  std::size_t forgotten_ = 0;  // of the mapped text
};

}  // namespace muster
