// Names of objects that leave theirs to the API server (generateName). They look as that would make them, but
// are the same in every run and every time the files are read.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <map>
#include <string>
#include <vector>

#include "document/document.hpp"
#include "document/json.hpp"

namespace muster::cli {

class GeneratedNames {
 public:
  // Has a generateName and no name.
  static bool is_wanted(const Document& document);
  // The files are read from their beginning once more: who asks then gets the same name as before.
  void begin_again() { next_.clear(); }
  // One that no object has: `taken` are those read so far, as object_name() has them.
  std::string name_for(const Document& document, const absl::flat_hash_set<std::string>& taken);

 private:
  std::map<std::string, std::vector<std::string>> given_;  // by kind, namespace and generateName
  std::map<std::string, std::size_t> next_;                // of those
};

// A document with the name that it was given.
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

}  // namespace muster::cli
