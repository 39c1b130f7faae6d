// Files as a stream of JSON documents: JSON text, JSON lines, and YAML (translated, with the line of every
// field), as they are or compressed.
//
// A reader gives its consumer one document at a time; `kind: List` and typed lists (PodList …) arrive item by
// item. The parsed element is valid during the call only.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_fwd.hpp"
#include "util/result.hpp"

namespace muster {

// One document, and where its parts stand.
class Document {
 public:
  virtual ~Document() = default;
  virtual Json root() const = 0;
  // "v1" and "Pod": what the document says of itself, else what its list says of its items; "" if nothing
  // does.
  virtual std::string_view api_version() const = 0;
  virtual std::string_view kind() const = 0;
  virtual const std::string& file() const = 0;
  // Line of the field at a dotted path below the root ("spec.levels[2].nodeLabel"), or of the nearest field
  // above it. JSON has lines only where a document stands on a single one; otherwise 0.
  virtual int line_of(std::string_view path) const = 0;
};

// Calls `use` for every document of the file, "-" being standard input. Text that does not parse is an Error
// with its position and ends that document only, as far as the format allows; errors are passed to `fail` and
// reading goes on.
void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                    const std::function<void(const Error&)>& fail);

// The same over text in memory; `name` stands for the file in messages.
void read_documents_in(const std::string& name, std::string_view text,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);

// A path as given on the command line: the file itself, or the manifests of a directory (*.yaml, *.yml and
// *.json, compressed or not, and *.zip), recursively, in name order. An Error if it does not exist.
Result<std::vector<std::string>> files_below(const std::string& path);

}  // namespace muster
