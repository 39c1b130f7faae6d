// Reads the manifests of a command into its cluster: what is in the files, and what controllers and the API
// server would have made of it.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <functional>
#include <string>
#include <vector>

#include "cli/input/admission.hpp"
#include "cli/input/generated_names.hpp"
#include "cli/input/left_out.hpp"
#include "cli/input/object_places.hpp"
#include "cli/input/progress.hpp"
#include "cli/input/workloads.hpp"
#include "manifest/manifest.hpp"

namespace muster::cli {

struct Inputs;

class ManifestReader {
 public:
  explicit ManifestReader(Inputs& inputs);

  // A file or a directory.
  void read(const std::string& path);
  // After the last one.
  void finish();
  // Turns warnings about objects into findings at their places.
  void tell(std::vector<ObjectWarning> warnings);

 private:
  void read_file(const std::string& file);
  // With names for those documents that leave theirs to the API server.
  void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                      const std::function<void(const Error&)>& fail);
  void read_again(const std::function<void(const Document&)>& use);
  void take(const Document& document);
  void apply(Object&& object);
  // Pods that came before the LimitRanges and runtime classes that are for them.
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

}  // namespace muster::cli
