// `muster validate`: reports errors in files, and warnings about what is probably a mistake.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "loader/inputs.hpp"
#include "policy/policy.hpp"
#include "terminal/output.hpp"
#include "terminal/paint.hpp"
#include "terminal/table.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

struct ValidateOptions {
  loader::InputOptions inputs;
  std::string output = "text";
};

// ---- text

Text findings_text(const std::vector<Error>& findings, const char* what, Color ink, const Painter& paint) {
  Text text;
  for (const Error& finding : findings) text += format_text("{}: {}\n", paint(ink, what), finding.text());
  return text;
}

std::string kinds_text(const std::map<std::string, std::int64_t>& kinds) {
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += (text.empty() ? "" : ", ") + fmt::format("{} {}", grouped(static_cast<std::size_t>(count)), kind);
  return text.empty() ? "no objects" : text;
}

Text validation_text(const loader::Inputs& inputs, const Painter& paint) {
  Text text = findings_text(inputs.unreadable, "error", Color::kBad, paint) +
              findings_text(inputs.findings.errors, "error", Color::kBad, paint) +
              findings_text(inputs.findings.warnings, "warning", Color::kWaiting, paint);
  for (const std::string& note : inputs.notes)
    text += format_text("{}: {}\n", paint(Color::kDim, "note"), note);
  const std::size_t errors = inputs.findings.errors.size() + inputs.unreadable.size();
  return text + format_text("{} in {}: {}, {}\n", kinds_text(inputs.findings.known_kinds),
                            counted(inputs.files, "file"), counted(errors, "error"),
                            counted(inputs.findings.warnings.size(), "warning"));
}

// ---- JSON

ordered_json findings_json(const std::vector<Error>& findings) {
  ordered_json list = ordered_json::array();
  for (const Error& f : findings)
    list.push_back({{"file", f.where.file},
                    {"line", f.where.line > 0 ? ordered_json(f.where.line) : ordered_json()},
                    {"object", f.where.object},
                    {"field", f.where.path},
                    {"message", f.message}});
  return list;
}

ordered_json validation_json(const loader::Inputs& inputs, int exit_code) {
  ordered_json errors = findings_json(inputs.unreadable);
  for (ordered_json& error : findings_json(inputs.findings.errors)) errors.push_back(std::move(error));
  return {{"schema", "muster.dev/validate/v1"},
          {"valid", exit_code == kSuccess},
          {"errors", std::move(errors)},
          {"warnings", findings_json(inputs.findings.warnings)},
          {"notes", inputs.notes},
          {"files", inputs.files},
          {"kinds", ordered_json(inputs.findings.known_kinds)},
          {"unknownKinds", ordered_json(inputs.findings.unknown_kinds)}};
}

int run_validate(const ValidateOptions& options) {
  if (options.inputs.paths.empty() && options.inputs.config.empty()) {
    write_message("error: specify a FILE, or a configuration with --config");
    return kUsage;
  }
  loader::Inputs inputs = loader::read_all(options.inputs);
  if (const std::string skipped = policy::skipped_text(inputs.config);
      !options.inputs.config.empty() && !skipped.empty())
    inputs.notes.push_back(skipped);
  const int exit_code = inputs.exit_code(options.inputs.strict);
  if (options.output == "json")
    write_json(validation_json(inputs, exit_code));
  else
    write_out(validation_text(inputs, Painter::for_stream(stdout)));
  return exit_code;
}

}  // namespace

void add_validate(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App* command = app.add_subcommand("validate", "Check manifests and configuration");
  command->group("Check files");
  command->add_option("FILE", options->inputs.paths, kFilesHelp);
  command->add_option("--config", options->inputs.config, kConfigHelp)->type_name("FILE");
  command->add_flag("--strict", options->inputs.strict, "Treat warnings as errors");
  add_output_option(*command, options->output);
  command->footer(
      "Exits with 0 if there are no errors (warnings are allowed), 1 if there are, 3 if a file cannot be\n"
      "read.\n\n"
      "Examples:\n"
      "  muster validate queues.yaml jobs/\n"
      "  muster validate cluster/ --config scheduler.yaml --strict -o json");
  command->callback([options, &exit_code] { exit_code = run_validate(*options); });
}

}  // namespace muster::cli
