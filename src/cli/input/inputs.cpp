// Reads configuration, manifests and past use, and collects all that is wrong with them.
#include "cli/input/inputs.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/cli.hpp"
#include "cli/input/configuration.hpp"
#include "cli/input/progress.hpp"
#include "cli/input/usage_file.hpp"
#include "cli/input/workloads.hpp"
#include "cli/policy.hpp"
#include "cli/report/names.hpp"

namespace muster::cli {
namespace {

// Notes the file where it can not be opened.
bool is_readable(const std::string& file, std::vector<Error>& unreadable) {
  if (file == "-" || ::access(file.c_str(), R_OK) == 0) return true;
  unreadable.push_back({std::generic_category().message(errno), {.file = file}});
  return false;
}

class ManifestReader {
 public:
  ManifestReader(Inputs& inputs, ObjectPlaces* places)
      : inputs_(inputs), places_(places), options_{.now = inputs.now}, workloads_(inputs, places) {}

  void read(const std::string& path) {
    const auto files = files_below(path);
    if (!files) return inputs_.unreadable.push_back(files.error());
    for (const std::string& file : *files)
      if (is_readable(file, inputs_.unreadable)) read_file(file);
  }
  void finish() { workloads_.finish(); }

 private:
  void read_file(const std::string& file) {
    ++inputs_.files;
    progress_.file_begins(file);
    inputs_.kept.read_documents(
        file, [&](const Document& document) { take(document); },
        [&](const Error& error) { inputs_.findings.errors.push_back(error); });
  }

  void take(const Document& document) {
    if (places_ != nullptr) places_->note(document);
    const auto apply = [&](Object&& object) { inputs_.cluster.apply(std::move(object)); };
    decode_object(document, options_, apply, inputs_.findings);
    workloads_.note(document);
    progress_.object_read();
  }

  Inputs& inputs_;
  ObjectPlaces* const places_;
  const DecodeOptions options_;
  Workloads workloads_;
  Progress progress_;
};

TimePoint instant_of(const std::string& now) {
  const auto given = parse_time(now);
  return given ? *given : std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

// Returns where mistakes in the arguments of plugins and actions go: those in a snapshot are nobody's fault.
std::vector<Error>& take_configuration(const InputOptions& options, Inputs& inputs) {
  std::optional<LoadedConfig> loaded;
  if (options.config.empty())
    loaded = config_in_files(options.paths, inputs.kept);
  else if (is_readable(options.config, inputs.unreadable))
    loaded = load_config(options.config, known_names());
  if (loaded) {
    inputs.config = std::move(loaded->config);
    inputs.findings.errors = std::move(loaded->errors);
    inputs.findings.warnings = std::move(loaded->warnings);
    inputs.notes = std::move(loaded->notes);
  }
  return options.config.empty() ? inputs.findings.warnings : inputs.findings.errors;
}

void read_configuration(const InputOptions& options, Inputs& inputs) {
  std::vector<Error>& errors = inputs.findings.errors;
  std::vector<Error>& bad_arguments = take_configuration(options, inputs);
  if (options.kai_exact) inputs.config.params.compatibility = Compatibility::kai_exact();
  inputs.policy = make_policy(inputs.config, bad_arguments);
  if (const std::string note = usage_text(inputs.config); options.usage.empty() && !note.empty())
    inputs.notes.push_back(note);
  if (!options.usage.empty() && is_readable(options.usage, inputs.unreadable))
    inputs.policy.settings.usage = read_usage(options.usage, errors);
}

void add_cluster_warnings(const ObjectPlaces* places, Inputs& inputs) {
  for (const ObjectWarning& w : inputs.cluster.take_warnings())
    inputs.findings.warnings.push_back({w.message, places != nullptr
                                                       ? places->find(w.object, w.field)
                                                       : Location{.object = w.object, .path = w.field}});
}

void add_usage_warnings(const std::string& file, Inputs& inputs) {
  for (const auto& [name, shares] : inputs.policy.settings.usage)
    if (const QueueId q = inputs.cluster.find_queue(name); !q.valid() || !inputs.cluster.queue(q).present)
      inputs.findings.warnings.push_back({"there is no such queue", {.file = file, .path = name}});
}

void add_unknown_kinds(Inputs& inputs) {
  for (const auto& [kind, count] : inputs.findings.unknown_kinds)
    inputs.notes.push_back(
        fmt::format("{} of kind {} not used", counted(static_cast<std::size_t>(count), "object"), kind));
}

void print_errors(const std::vector<Error>& errors, const char* what) {
  for (const Error& e : errors) fmt::print(stderr, "{}: {}\n", what, e.text());
}

}  // namespace

int Inputs::exit_code(bool strict) const {
  if (!unreadable.empty()) return kOutside;
  return findings.errors.empty() && (!strict || findings.warnings.empty()) ? kSuccess : kNo;
}

Inputs read_all(const InputOptions& options, ObjectPlaces* places) {
  Inputs inputs;
  inputs.now = instant_of(options.now);
  read_configuration(options, inputs);
  inputs.cluster = Cluster(cluster_options(inputs.config.params));
  ManifestReader reader(inputs, places);
  for (const std::string& path : options.paths) reader.read(path);
  reader.finish();
  inputs.cluster.refresh(inputs.now);
  if (places != nullptr)
    inputs.findings.warnings.insert(inputs.findings.warnings.end(), places->repeated().begin(),
                                    places->repeated().end());
  add_cluster_warnings(places, inputs);
  add_usage_warnings(options.usage, inputs);
  add_unknown_kinds(inputs);
  return inputs;
}

std::optional<Inputs> read_inputs(const InputOptions& options, int& exit_code) {
  Inputs inputs = read_all(options);
  if (const std::string skipped = skipped_text(inputs.config); !skipped.empty())
    fmt::print(stderr, "note: {}\n", skipped);
  for (const std::string& note : inputs.notes) fmt::print(stderr, "note: {}\n", note);
  print_errors(inputs.findings.warnings, options.strict ? "error" : "warning");
  print_errors(inputs.findings.errors, "error");
  print_errors(inputs.unreadable, "error");
  exit_code = inputs.exit_code(options.strict);
  if (exit_code != kSuccess) return std::nullopt;
  return inputs;
}

}  // namespace muster::cli
