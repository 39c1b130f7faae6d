// The content of a file as text, without a copy if possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/text_area.hpp"
#include "util/result.hpp"

namespace muster {

// The text is followed by enough readable bytes for simdjson to read past its end.
class FileText {
 public:
  // "-" is standard input.
  static Result<FileText> open(const std::string& file);
  explicit FileText(TextArea area) : area_(std::move(area)) {}

  std::string_view text() const { return area_.text(); }
  // Frees memory that was only needed for this search.
  bool contains(std::string_view word);

  // Releases the text before the position. Its memory is freed from time to time.
  void forget_before(const char* position);

 private:
  TextArea area_;
  std::size_t forgotten_ = 0;
};

}  // namespace muster
