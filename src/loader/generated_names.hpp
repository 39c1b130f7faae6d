// Generates names for objects with a generateName. They look like names from the API server, but are the same
// in every run and each time the files are read.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <map>
#include <string>
#include <vector>

#include "document/document.hpp"
#include "document/json.hpp"

namespace muster::loader {

class GeneratedNames {
 public:
  // Whether the object has a generateName and no name.
  static bool needs_name(const Document& document);
  // Call before the files are read again, so that objects get the same names as before.
  void restart() { next_.clear(); }
  // Returns an unused name. `taken` holds the names read so far, as returned by object_name().
  std::string name_for(const Document& document, const absl::flat_hash_set<std::string>& taken);

 private:
  std::map<std::string, std::vector<std::string>> given_;  // by kind, namespace and generateName
  std::map<std::string, std::size_t> next_;                // index of the next name, by the same key
};

// A document with a generated name.
class NamedDocument final : public Document {
 public:
  NamedDocument(const Document& unnamed, const std::string& name);
  Json root() const override { return root_; }
  std::string_view api_version() const override { return unnamed_.api_version(); }
  std::string_view kind() const override { return unnamed_.kind(); }
  const std::string& file() const override { return unnamed_.file(); }
  int line_of(std::string_view path) const override { return unnamed_.line_of(path); }

 private:
  const Document& unnamed_;
  simdjson::dom::parser parser_;
  Json root_;
};

}  // namespace muster::loader
