// The files that a command-line path refers to.
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "document/document.hpp"
#include "document/manifest_names.hpp"

namespace muster {
namespace {

namespace fs = std::filesystem;

bool is_manifest(const fs::path& path) {
  return has_manifest_name(path.native()) || has_archive_name(path.native());
}

bool is_hidden(const fs::path& path) { return path.filename().native().starts_with('.'); }

// Skips hidden directories, for example of version control, and the copies behind a mounted ConfigMap.
std::error_code collect(const fs::path& directory, std::vector<std::string>& files) {
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (is_hidden(at->path()))
      at.disable_recursion_pending();
    else if (is_manifest(at->path()) && at->is_regular_file(ignored))
      files.push_back(at->path().string());
  }
  return error;
}

}  // namespace

Result<std::vector<std::string>> files_below(const std::string& path) {
  if (path == "-") return std::vector{path};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    return Error{
        error && status.type() == fs::file_type::none ? error.message() : "no such file or directory",
        {.file = path}};
  if (!fs::is_directory(status)) return std::vector{path};
  std::vector<std::string> files;
  if (const auto failed = collect(path, files)) return Error{failed.message(), {.file = path}};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace muster
