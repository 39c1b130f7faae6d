// Reads files once, and pods a second time if LimitRanges or runtime classes came after them.
#include "loader/manifest_reader.hpp"

#include <algorithm>

#include "document/document.hpp"
#include "loader/inputs.hpp"
#include "loader/scheduler_state.hpp"
#include "loader/steps.hpp"
#include "util/names.hpp"

namespace muster::loader {
ManifestReader::ManifestReader(Inputs& inputs)
    : inputs_(inputs),
      options_(admission_.options(inputs.now)),
      workloads_(inputs, places_, options_, [this](Object&& object) { apply(std::move(object)); }),
      left_out_(inputs.cluster) {}

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
  read_documents(
      file, [&](const Document& document) { take(document); }, fail);
}

void ManifestReader::read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                                    const std::function<void(const Error&)>& fail) {
  const auto use_named = [&](const Document& document) {
    if (GeneratedNames::needs_name(document))
      use(NamedDocument(document, generated_names_.name_for(document, names_)));
    else
      use(document);
  };
  inputs_.kept.read_documents(file, use_named, fail);
}

void ManifestReader::read_again(const std::function<void(const Document&)>& use) {
  generated_names_.restart();
  for (const std::string& file : files_) read_documents(file, use, [](const Error&) {});
}

void ManifestReader::take(const Document& document) {
  if (std::string name = object_name(document); !name.empty())
    if (const auto [found, is_new] = names_.insert(std::move(name)); !is_new) repeated_.push_back(*found);
  if (is_scheduler_state(document)) return;
  if (is_step(document)) {
    ++steps_;
    if (inputs_.over_time)
      read_step(document, options_, inputs_, [this](const Document& created) { take(created); });
    return progress_.object_read();
  }
  decode_object(
      document, options_, [&](Object&& object) { apply(std::move(object)); }, inputs_.findings);
  workloads_.note(document);
  progress_.object_read();
}

void ManifestReader::apply(Object&& object) {
  admission_.note(object);
  if (inputs_.over_time && note_time(object, inputs_.now, inputs_.agenda)) return;
  if (!inputs_.over_time) note_work(object, inputs_.agenda);
  left_out_.note(object);
  inputs_.cluster.apply(std::move(object));
}

void ManifestReader::finish() {
  if (admission_.has_late_rules()) read_pods_again();
  workloads_.finish();
  for (std::string& note : left_out_.notes()) inputs_.notes.push_back(std::move(note));
  if (inputs_.over_time)
    check_steps(inputs_);
  else if (steps_ > 0)
    inputs_.notes.push_back(counted(steps_, "Step") + " not applied: time passes only with --until");
}

void ManifestReader::read_pods_again() {
  Findings findings;
  const auto use = [&](const Document& document) {
    if (document.kind() == PodObject::kKind)
      decode_object(
          document, options_, [&](Object&& pod) { apply(std::move(pod)); }, findings);
  };
  read_again(use);
  std::vector<Error>& known = inputs_.findings.warnings;
  for (Error& warning : findings.warnings)
    if (std::ranges::none_of(known, [&](const Error& e) { return e.text() == warning.text(); }))
      known.push_back(std::move(warning));
}

void ManifestReader::add_warnings(std::vector<ObjectWarning> warnings) {
  for (ObjectWarning& warning : admission_.warnings()) warnings.push_back(std::move(warning));
  for (const ObjectWarning& warning : warnings) places_.want(warning.object, warning.field);
  for (const std::string& object : repeated_) places_.want(object, "");
  if (places_.is_anything_wanted()) read_again([&](const Document& document) { places_.note(document); });
  std::vector<Error>& known = inputs_.findings.warnings;
  known.insert(known.end(), places_.repeated().begin(), places_.repeated().end());
  for (ObjectWarning& warning : warnings)
    known.push_back({std::move(warning.message), places_.find(warning.object, warning.field)});
}

}  // namespace muster::loader
