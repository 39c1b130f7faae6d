// Memory for one text, with readable bytes behind it. A large text grows without being copied; a small one
// takes hardly more than its bytes, for there may be many.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

// So many bytes behind a text that is to be parsed as JSON must be readable.
inline constexpr std::size_t kJsonPadding = 64;

class TextArea {
 public:
  TextArea() = default;
  // The content of a file, without reading it; empty where the system can not.
  static TextArea of_file(int fd, std::size_t size);
  TextArea(TextArea&& other) noexcept;
  TextArea& operator=(TextArea&&) = delete;
  ~TextArea();

  std::string_view text() const { return size_ == 0 ? "" : std::string_view(data_, size_); }
  std::size_t size() const { return size_; }
  bool is_file() const { return is_file_; }

  // Where so many bytes may be written behind the text; null where there is no memory. What `grew` is told of
  // then belongs to the text.
  char* room(std::size_t bytes);
  void grew(std::size_t bytes) { size_ += bytes; }

  // Gives memory back. Of a file it can be read again; anything else is gone.
  void forget(std::size_t from, std::size_t bytes);

 private:
  char* data_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;  // the padding is part of the capacity
  bool is_file_ = false;
};

}  // namespace muster
