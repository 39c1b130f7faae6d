// Shows the progress of reading in a line that is rewritten.
#include "loader/progress.hpp"

#include <filesystem>

#include "terminal/table.hpp"

namespace muster::loader {
namespace {

constexpr std::uint64_t kObjectsBetweenClockReads = 256;

double megabytes_of(const std::string& file) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : static_cast<double>(size) / 1e6;
}

}  // namespace

void Progress::file_begins(const std::string& file) {
  if (!line_.is_on()) return;
  file_ = file;
  megabytes_ = megabytes_of(file);
  show();
}

void Progress::object_read() {
  if (++objects_ % kObjectsBetweenClockReads == 0) show();
}

void Progress::show() {
  if (line_.is_due())
    line_.show(format_text("reading {} ({:.0f} MB), {} objects", file_, megabytes_, grouped(objects_)));
}

}  // namespace muster::loader
