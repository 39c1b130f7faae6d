// Large areas come directly from the system: a file mapped over zeroes, or zeroes that are moved to grow.
// Small ones come from the heap.
#include "document/text_area.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace muster {
namespace {

// The largest size taken from the heap, in bytes.
constexpr std::size_t kMostOnHeap = std::size_t{64} << 10;

char* zeroes(std::size_t size, int protection) {
  void* const area = ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return area == MAP_FAILED ? nullptr : static_cast<char*>(area);
}

char* grown_on_heap(char* data, std::size_t from, std::size_t to) {
  char* const area = static_cast<char*>(std::realloc(data, to));
  if (area != nullptr) std::memset(area + from, 0, to - from);
  return area;
}

char* moved_from_heap(char* data, std::size_t from, std::size_t to) {
  char* const area = zeroes(to, PROT_READ | PROT_WRITE);
  if (area == nullptr || data == nullptr) return area;
  std::memcpy(area, data, from);
  std::free(data);
  return area;
}

// Returns null and leaves `data` unchanged if there is no memory.
char* grown(char* data, std::size_t from, std::size_t to) {
  if (to <= kMostOnHeap) return grown_on_heap(data, from, to);
  if (from <= kMostOnHeap) return moved_from_heap(data, from, to);
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
  area.is_file_ = true;
  if (::mmap(data, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) return TextArea();
  ::madvise(data, size, MADV_SEQUENTIAL);
  area.size_ = size;
  return area;
}

TextArea::TextArea(TextArea&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(std::exchange(other.capacity_, 0)),
      size_(std::exchange(other.size_, 0)),
      is_file_(other.is_file_) {}

TextArea::~TextArea() {
  if (data_ == nullptr) return;
  if (is_file_ || capacity_ > kMostOnHeap)
    ::munmap(data_, capacity_);
  else
    std::free(data_);
}

char* TextArea::room(std::size_t bytes) {
  const std::size_t needed = size_ + bytes + kJsonPadding;
  if (needed > capacity_) {
    const std::size_t wanted = std::max(needed, 2 * capacity_);
    char* const data = grown(data_, capacity_, wanted);
    if (data == nullptr) return nullptr;
    data_ = data;
    capacity_ = wanted;
  }
  return data_ + size_;
}

void TextArea::forget(std::size_t from, std::size_t bytes) { ::madvise(data_ + from, bytes, MADV_DONTNEED); }

}  // namespace muster
