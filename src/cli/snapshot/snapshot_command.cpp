// `muster snapshot`: writes the objects of a live cluster to one file that every other command reads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/input/state_source.hpp"
#include "cli/snapshot/snapshot_file.hpp"
#include "kube/cluster_reader.hpp"
#include "terminal/output.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

struct SnapshotCommand {
  StateSource source;
  std::string file;
  bool is_redacted = false;
};

int fail_outside(const Error& error) {
  write_message("error: {}", error.text());
  return kExternalFailure;
}

int run_snapshot(const SnapshotCommand& options) {
  if (!options.source.is_live && options.source.server.empty() && !is_kubectl_plugin()) {
    write_message("error: specify a cluster with --kubeconfig, --context or --server");
    return kUsage;
  }
  const auto text = read_live(options.source);
  if (!text) return fail_outside(text.error());
  auto list = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!list.is_object() || !list["items"].is_array())
    return fail_outside(
        {.message = "the response is not a list of objects", .where = {}, .is_outside = true});
  kube::strip(list);
  if (options.is_redacted) redact(list);
  if (const auto written = write_snapshot(list, options.file); !written) return fail_outside(written.error());
  if (options.file != "-") write_message("{}: {}", options.file, counted(list["items"].size(), "object"));
  return kSuccess;
}

}  // namespace

void add_snapshot(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SnapshotCommand>();
  CLI::App* command = app.add_subcommand("snapshot", "Write the objects of a live cluster to one file");
  command->group("Run a cluster");
  command->add_option("FILE", options->file, "Output file: .json.zst, .json or .yaml; - for standard output")
      ->required();
  add_live_options(*command, options->source);
  command->add_flag("--redact", options->is_redacted,
                    "Replace names with hashes that are the same in every snapshot");
  command->footer(
      "Reads only what scheduling depends on: no Secrets, no ConfigMap data, no environment variables or\n"
      "commands of containers. simulate, explain, what-if and validate read the file.\n\n"
      "Examples:\n"
      "  muster snapshot cluster.json.zst --kubeconfig ~/.kube/config\n"
      "  muster snapshot cluster.yaml --context prod --redact\n"
      "  muster snapshot - --server http://127.0.0.1:8081 | muster simulate -");
  command->callback([options, &exit_code] { exit_code = run_snapshot(*options); });
}

}  // namespace muster::cli
