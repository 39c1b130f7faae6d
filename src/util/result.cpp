// Writes an Error from the file down to the field, followed by the message.
#include "util/result.hpp"

#include <fmt/format.h>

namespace muster {

std::string Error::text() const {
  std::string out = where.file;
  if (where.line > 0) out += fmt::format("{}{}", out.empty() ? "line " : ":", where.line);
  for (const std::string* part : {&where.object, &where.path, &message}) {
    if (part->empty()) continue;
    if (!out.empty()) out += ": ";
    out += *part;
  }
  return out;
}

}  // namespace muster
