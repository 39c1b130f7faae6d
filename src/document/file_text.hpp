// The content of a file as text, without copying it where that is possible.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "document/text_area.hpp"
#include "util/result.hpp"

namespace muster {

// The text is followed by readable bytes enough for simdjson to look beyond its end.
class FileText {
 public:
  // "-" is standard input.
  static Result<FileText> open(const std::string& file);
  explicit FileText(TextArea area) : area_(std::move(area)) {}

  std::string_view text() const { return area_.text(); }
  // Memory that a file is not kept in for this question is given back.
  bool contains(std::string_view word);

  // Text before the position will not be looked at again: from time to time its memory is given back.
  void forget_before(const char* position);

 private:
  TextArea area_;
  std::size_t forgotten_ = 0;
};

}  // namespace muster
