// Reads files that contain only Queue objects.
#include "cli/serve/queue_file.hpp"

#include <fmt/format.h>

#include <optional>

#include "document/json.hpp"

namespace muster::cli {

Result<std::vector<std::string>> read_queue_file(const std::string& file) {
  std::vector<std::string> queues;
  std::optional<Error> first;
  const auto fail = [&](const Error& error) {
    if (!first) first = error;
  };
  read_documents(
      file,
      [&](const Document& document) {
        if (document.kind() != "Queue")
          return fail(
              Error{fmt::format("{}: expected only Queue objects, found a {}", file,
                                document.kind().empty() ? "document without kind" : document.kind())});
        queues.push_back(simdjson::to_string(document.root()));
      },
      fail);
  if (first) return *first;
  if (queues.empty()) return Error{fmt::format("{}: contains no Queue", file)};
  return queues;
}

}  // namespace muster::cli
