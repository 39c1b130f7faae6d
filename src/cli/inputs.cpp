// Configuration and cluster from files.
#include "cli/inputs.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "cli/cli.hpp"
#include "cli/policy.hpp"
#include "sim/loader.hpp"

namespace muster::cli {
namespace {

void print_errors(const std::vector<Error>& errors, const char* what) {
  for (const Error& e : errors) fmt::print(stderr, "{}: {}\n", what, e.text());
}

void print_unknown_kinds(const Findings& findings) {
  for (const auto& [kind, count] : findings.unknown_kinds)
    fmt::print(stderr, "note: {} object{} of kind {} not used\n", count, count == 1 ? "" : "s", kind);
}

void add_cluster_warnings(Cluster& cluster, Findings& findings) {
  for (ObjectWarning& w : cluster.take_warnings())
    findings.warnings.push_back({w.message, {.object = w.object, .path = w.field}});
}

}  // namespace

std::optional<Inputs> read_inputs(const InputOptions& options, int& exit_code) {
  std::vector<Error> errors;
  LoadedConfig loaded = options.config.empty() ? LoadedConfig{} : load_config(options.config);
  errors = loaded.errors;
  Config& config = loaded.config;
  if (options.kai_exact) config.params.compatibility = Compatibility::kai_exact();
  Policy policy = make_policy(config, errors);
  TimePoint now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  if (!options.now.empty()) {
    const auto given = parse_time(options.now);
    if (!given)
      errors.push_back(
          {fmt::format("\"{}\" is no time like 2025-06-01T12:00:00Z", options.now), {.path = "--now"}});
    now = given.value_or(now);
  }
  if (!errors.empty()) {
    print_errors(errors, "error");
    exit_code = kNo;
    return std::nullopt;
  }
  Cluster cluster(cluster_options(config.params));
  Loader loader(cluster);
  Findings findings = read_manifests(options.paths, {.now = now}, loader);
  cluster.refresh(now);
  add_cluster_warnings(cluster, findings);
  print_unknown_kinds(findings);
  print_errors(findings.warnings, options.strict ? "error" : "warning");
  print_errors(findings.errors, "error");
  if (!findings.errors.empty() || (options.strict && !findings.warnings.empty())) {
    exit_code = kNo;
    return std::nullopt;
  }
  return Inputs{std::move(config), std::move(policy), now, std::move(cluster), std::move(findings)};
}

}  // namespace muster::cli
