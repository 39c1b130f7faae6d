// Memory for one text, with readable bytes after it. A large text grows without being copied. A small one
// takes hardly more than its size, because there may be many.
#pragma once

#include <cstddef>
#include <string_view>

namespace muster {

// Readable bytes required after a text that is parsed as JSON.
inline constexpr std::size_t kJsonPadding = 64;

class TextArea {
 public:
  TextArea() = default;
  // The content of a file, without reading it; empty if the system cannot map it.
  static TextArea of_file(int fd, std::size_t size);
  TextArea(TextArea&& other) noexcept;
  TextArea& operator=(TextArea&&) = delete;
  ~TextArea();

  std::string_view text() const { return size_ == 0 ? "" : std::string_view(data_, size_); }
  std::size_t size() const { return size_; }
  bool is_file() const { return is_file_; }

  // Space for writing `bytes` bytes after the text; null if there is no memory. Pass the bytes written to
  // `grew` to add them to the text.
  char* room(std::size_t bytes);
  void grew(std::size_t bytes) { size_ += bytes; }

  // Frees memory. The text of a file can be read again; any other text is lost.
  void forget(std::size_t from, std::size_t bytes);

 private:
  char* data_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;  // the capacity includes the padding
  bool is_file_ = false;
};

}  // namespace muster
