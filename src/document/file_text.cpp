// Maps regular files with a zeroed page behind them; reads pipes into memory.
#include "document/file_text.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace muster {
namespace {

constexpr std::size_t kForgetAtOnce = std::size_t{8} << 20;  // a multiple of every page size

Error system_error(const std::string& file, int code) {
  return {std::generic_category().message(code), {.file = file}, true};
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& file)
      : fd_(file == "-" ? STDIN_FILENO : ::open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ > STDIN_FILENO) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_;
};

// The file over the front of a zeroed area that is longer by the padding; null if the system cannot.
char* map_padded(int fd, std::size_t size) {
  void* const area = ::mmap(nullptr, size + kJsonPadding, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED) return nullptr;
  if (::mmap(area, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED) {
    ::munmap(area, size + kJsonPadding);
    return nullptr;
  }
  ::madvise(area, size, MADV_SEQUENTIAL);
  return static_cast<char*>(area);
}

// 0, or the error number.
int read_all(int fd, std::string& text) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    const ssize_t got = ::read(fd, text.data() + before, kChunk);
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return errno;
  }
  text.reserve(text.size() + kJsonPadding);
  return 0;
}

}  // namespace

Result<FileText> FileText::open(const std::string& file) {
  const Descriptor descriptor(file);
  struct stat status {};
  if (descriptor.fd() < 0 || ::fstat(descriptor.fd(), &status) != 0) return system_error(file, errno);
  FileText content;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    content.mapped_ = file == "-" ? nullptr : map_padded(descriptor.fd(), size);
    content.mapped_size_ = content.mapped_ == nullptr ? 0 : size;
  }
  if (content.mapped_ == nullptr)
    if (const int code = read_all(descriptor.fd(), content.read_); code != 0) return system_error(file, code);
  return content;
}

FileText::FileText(FileText&& other) noexcept
    : read_(std::move(other.read_)),
      mapped_(std::exchange(other.mapped_, nullptr)),
      mapped_size_(std::exchange(other.mapped_size_, 0)),
      forgotten_(other.forgotten_) {}

FileText::~FileText() {
  if (mapped_ != nullptr) ::munmap(mapped_, mapped_size_ + kJsonPadding);
}

std::string_view FileText::text() const {
  return mapped_ != nullptr ? std::string_view(mapped_, mapped_size_) : std::string_view(read_);
}

void FileText::forget_before(const char* position) {
  if (mapped_ == nullptr) return;
  const auto read = static_cast<std::size_t>(position - mapped_);
  for (; read - forgotten_ >= kForgetAtOnce; forgotten_ += kForgetAtOnce)
    ::madvise(mapped_ + forgotten_, kForgetAtOnce, MADV_DONTNEED);
}

}  // namespace muster
