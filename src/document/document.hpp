// Reads files as a stream of JSON documents: JSON text, JSON lines, and YAML (translated, with the line of
// every field), compressed or not.
//
// A reader passes on one document at a time. `kind: List` and typed lists (PodList …) arrive item by item.
// The parsed element is only valid during the call.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_fwd.hpp"
#include "util/result.hpp"

namespace muster {

// A document with the locations of its parts.
class Document {
 public:
  virtual ~Document() = default;
  virtual Json root() const = 0;
  // apiVersion and kind ("v1", "Pod") of the document, or else of the list that contains it; "" if neither
  // has any.
  virtual std::string_view api_version() const = 0;
  virtual std::string_view kind() const = 0;
  virtual const std::string& file() const = 0;
  // The line of the field at a dotted path below the root ("spec.levels[2].nodeLabel"), or of the nearest
  // field above it. JSON documents on a single line have that line; all others have line 0.
  virtual int line_of(std::string_view path) const = 0;
};

// Calls `use` for every document of the file; "-" is standard input. Text that does not parse is passed to
// `fail` as an Error with its position. It only ends that document, as far as the format allows, and reading
// continues.
void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                    const std::function<void(const Error&)>& fail);

// Likewise for text in memory; messages call it `name`.
void read_documents_in(const std::string& name, std::string_view text,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail);

// The files of a command-line argument: the file itself, or the manifests of a directory (*.yaml, *.yml and
// *.json, compressed or not, and *.zip), recursively, in order of names. Returns an error if the path does
// not exist.
Result<std::vector<std::string>> files_below(const std::string& path);

}  // namespace muster
