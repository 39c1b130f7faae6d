// Maps regular files with a zeroed page after them, and reads pipes into memory.
#include "document/file_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

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

// Returns 0 or the error number.
int read_all(int fd, TextArea& text) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    char* const room = text.room(kChunk);
    if (room == nullptr) return ENOMEM;
    const ssize_t got = ::read(fd, room, kChunk);
    if (got == 0) return 0;
    if (got < 0 && errno != EINTR) return errno;
    text.grew(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
}

}  // namespace

Result<FileText> FileText::open(const std::string& file) {
  const Descriptor descriptor(file);
  struct stat status {};
  if (descriptor.fd() < 0 || ::fstat(descriptor.fd(), &status) != 0) return system_error(file, errno);
  if (file != "-" && S_ISREG(status.st_mode) && status.st_size > 0)
    if (TextArea mapped = TextArea::of_file(descriptor.fd(), static_cast<std::size_t>(status.st_size));
        mapped.size() > 0)
      return FileText(std::move(mapped));
  TextArea read;
  if (const int code = read_all(descriptor.fd(), read); code != 0) return system_error(file, code);
  return FileText(std::move(read));
}

bool FileText::contains(std::string_view word) {
  const std::string_view all = text();
  for (std::size_t at = 0; at < all.size(); at += kForgetAtOnce) {
    const std::string_view part = all.substr(at, kForgetAtOnce + word.size() - 1);
    if (::memmem(part.data(), part.size(), word.data(), word.size()) != nullptr) return true;
    if (area_.is_file()) area_.forget(at, std::min(kForgetAtOnce, all.size() - at));
  }
  return false;
}

void FileText::forget_before(const char* position) {
  if (text().empty()) return;  // an empty text may have any address
  const auto read = static_cast<std::size_t>(position - text().data());
  for (; read - forgotten_ >= kForgetAtOnce; forgotten_ += kForgetAtOnce)
    area_.forget(forgotten_, kForgetAtOnce);
}

}  // namespace muster
