// Reads the manifests of a command into its cluster: the objects in the files, and those that controllers and
// the API server would create for them.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <string>
#include <vector>

#include "loader/admission.hpp"
#include "loader/generated_names.hpp"
#include "loader/left_out.hpp"
#include "loader/object_places.hpp"
#include "loader/progress.hpp"
#include "loader/workloads.hpp"
#include "manifest/manifest.hpp"

namespace muster::loader {

struct Inputs;

class ManifestReader {
 public:
  explicit ManifestReader(Inputs& inputs);

  // Reads a file, or the files in a directory.
  void read(const std::string& path);
  // Call after the last read().
  void finish();
  // Adds warnings about objects to the findings, with file and line of the object.
  void add_warnings(std::vector<ObjectWarning> warnings);

 private:
  void read_file(const std::string& file);
  // Calls `use` with every document. Documents with a generateName get a name.
  void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                      const std::function<void(const Error&)>& fail);
  void read_again(const std::function<void(const Document&)>& use);
  void take(const Document& document);
  void apply(Object&& object);
  // Decodes pods again, with the LimitRanges and runtime classes that came after them.
  void read_pods_again();

  Inputs& inputs_;
  ObjectPlaces places_;
  Admission admission_;
  const DecodeOptions options_;
  Workloads workloads_;
  LeftOut left_out_;
  GeneratedNames generated_names_;
  Progress progress_;
  std::vector<std::string> files_;
  std::size_t steps_ = 0;
  absl::flat_hash_set<std::string> names_;
  std::vector<std::string> repeated_;
};

}  // namespace muster::loader
