// The content of a file as text, without copying it where that is possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "util/result.hpp"

namespace muster {

// The text is followed by readable bytes enough for simdjson to look beyond its end.
class FileText {
 public:
  // "-" is standard input.
  static Result<FileText> open(const std::string& file);

  FileText(FileText&& other) noexcept;
  FileText& operator=(FileText&&) = delete;
  ~FileText();

  std::string_view text() const;

 private:
  FileText() = default;

  std::string read_;        // pipes and terminals are read …
  char* mapped_ = nullptr;  // … regular files mapped
  std::size_t mapped_size_ = 0;
};

}  // namespace muster
