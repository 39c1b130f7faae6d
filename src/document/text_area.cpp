// Areas of their own, straight from the system: a file mapped over zeroes, or zeroes that are moved to grow.
#include "document/text_area.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <utility>

namespace muster {
namespace {

constexpr std::size_t kLeast = std::size_t{1} << 20;

char* zeroes(std::size_t size, int protection) {
  void* const area = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return area == MAP_FAILED ? nullptr : static_cast<char*>(area);
}

char* grown(char* data, std::size_t from, std::size_t to) {
  if (data == nullptr) return zeroes(to, PROT_READ | PROT_WRITE);
  void* const area = ::mremap(data, from, to, MREMAP_MAYMOVE);
  return area == MAP_FAILED ? nullptr : static_cast<char*>(area);
}

}  // namespace

TextArea TextArea::of_file(int fd, std::size_t size) {
  TextArea area;
  char* const data = zeroes(size + kJsonPadding, PROT_READ);
  if (data == nullptr) return area;
  area.data_ = data;
  area.capacity_ = size + kJsonPadding;
  if (::mmap(data, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) return TextArea();
  ::madvise(data, size, MADV_SEQUENTIAL);
  area.size_ = size;
  area.is_file_ = true;
  return area;
}

TextArea::TextArea(TextArea&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      size_(std::exchange(other.size_, 0)),
      is_file_(other.is_file_) {}

TextArea::~TextArea() {
  if (data_ != nullptr) ::munmap(data_, capacity_);
}

char* TextArea::room(std::size_t bytes) {
  const std::size_t needed = size_ + bytes + kJsonPadding;
  if (needed > capacity_) {
    const std::size_t wanted = std::max({needed, 2 * capacity_, kLeast});
    char* const data = grown(data_, capacity_, wanted);
    if (data == nullptr) return nullptr;
    data_ = data;
    capacity_ = wanted;
  }
  return data_ + size_;
}

void TextArea::forget(std::size_t from, std::size_t bytes) { ::madvise(data_ + from, bytes, MADV_DONTNEED); }

}  // namespace muster
