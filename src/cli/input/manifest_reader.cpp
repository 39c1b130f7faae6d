#include "cli/input/manifest_reader.hpp"

#include <algorithm>

#include "cli/input/inputs.hpp"
#include "document/document.hpp"

namespace muster::cli {
ManifestReader::ManifestReader(Inputs& inputs)
    : inputs_(inputs),
      options_{.now = inputs.now, .limits = &limits_},
      workloads_(inputs, places_, options_) {}

void ManifestReader::read(const std::string& path) {
  const auto files = files_below(path);
  if (!files) return inputs_.unreadable.push_back(files.error());
  for (const std::string& file : *files)
    if (is_readable(file, inputs_.unreadable)) read_file(file);
}

void ManifestReader::read_file(const std::string& file) {
  ++inputs_.files;
  files_.push_back(file);
  progress_.file_begins(file);
  const auto fail = [&](const Error& error) { inputs_.findings.errors.push_back(error); };
  inputs_.kept.read_documents(
      file, [&](const Document& document) { take(document); }, fail);
}

void ManifestReader::read_again(const std::function<void(const Document&)>& use) {
  for (const std::string& file : files_) inputs_.kept.read_documents(file, use, [](const Error&) {});
}

void ManifestReader::take(const Document& document) {
  if (std::string name = object_name(document); !name.empty())
    if (const auto [found, is_new] = names_.insert(std::move(name)); !is_new) repeated_.push_back(*found);
  decode_object(
      document, options_, [&](Object&& object) { apply(std::move(object)); }, inputs_.findings);
  workloads_.note(document);
  progress_.object_read();
}

void ManifestReader::apply(Object&& object) {
  if (const auto* range = std::get_if<LimitRangeObject>(&object)) {
    limits_.add(*range);
    has_late_limits_ = has_late_limits_ || has_early_pods_;
  }
  has_early_pods_ = has_early_pods_ || std::holds_alternative<PodObject>(object);
  inputs_.cluster.apply(std::move(object));
}

void ManifestReader::finish() {
  if (has_late_limits_) read_limited_pods();
  workloads_.finish();
}

void ManifestReader::read_limited_pods() {
  Findings findings;
  const auto use = [&](const Document& document) {
    if (document.kind() == PodObject::kKind)
      decode_object(
          document, options_, [&](Object&& pod) { inputs_.cluster.apply(std::move(pod)); }, findings);
  };
  read_again(use);
  std::vector<Error>& known = inputs_.findings.warnings;
  for (Error& warning : findings.warnings)
    if (std::ranges::none_of(known, [&](const Error& e) { return e.text() == warning.text(); }))
      known.push_back(std::move(warning));
}

void ManifestReader::tell(std::vector<ObjectWarning> warnings) {
  for (const ObjectWarning& warning : warnings) places_.want(warning.object, warning.field);
  for (const std::string& object : repeated_) places_.want(object, "");
  if (places_.is_anything_wanted()) read_again([&](const Document& document) { places_.note(document); });
  std::vector<Error>& told = inputs_.findings.warnings;
  told.insert(told.end(), places_.repeated().begin(), places_.repeated().end());
  for (ObjectWarning& warning : warnings)
    told.push_back({std::move(warning.message), places_.find(warning.object, warning.field)});
}

}  // namespace muster::cli
