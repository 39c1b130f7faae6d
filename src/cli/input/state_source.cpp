// Writes the state of a live cluster to a temporary file, which is then read like any other file.
#include "cli/input/state_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "cli/cli.hpp"
#include "kube/cluster_reader.hpp"
#include "kube/credentials.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

bool called_as_plugin = false;

Error outside(std::string file) {
  return {.message = std::generic_category().message(errno),
          .where = {.file = std::move(file)},
          .is_outside = true};
}

Result<std::string> token_of(const StateSource& source) {
  if (source.token_file.empty()) return std::string();
  auto token = kube::content_of(source.token_file);
  if (!token) return token.error();
  while (!token->empty() && (token->back() == '\n' || token->back() == '\r')) token->pop_back();
  return token;
}

Result<std::string> read_server(const StateSource& source) {
  const auto token = token_of(source);
  if (!token) return token.error();
  std::string authority;
  if (!source.server_ca.empty()) {
    auto text = kube::content_of(source.server_ca);
    if (!text) return text.error();
    authority = *std::move(text);
  }
  std::string url = source.server;
  while (url.ends_with('/')) url.pop_back();
  if (!url.starts_with("http://") && !url.starts_with("https://")) url = "http://" + url;
  return kube::read_address(url + "/api/v1/snapshot", *token, authority);
}

Result<kube::Credentials> credentials_of(const StateSource& source) {
  if (source.kubeconfig.empty() && source.context.empty() && kube::runs_in_cluster())
    return kube::in_cluster_credentials();
  return kube::read_kubeconfig(source.kubeconfig, source.context);
}

}  // namespace

void set_kubectl_plugin(bool is_one) { called_as_plugin = is_one; }
bool is_kubectl_plugin() { return called_as_plugin; }

void add_source_options(CLI::App& command, StateSource& source) {
  command.add_option("--snapshot", source.snapshots, "A file written by `muster snapshot`")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_live_options(command, source);
}

void add_live_options(CLI::App& command, StateSource& source) {
  command
      .add_option("--kubeconfig", source.kubeconfig,
                  "Read from the live cluster of this kubeconfig; nothing is written")
      ->type_name("FILE")
      ->each([&source](const std::string&) { source.is_live = true; });
  command.add_option("--context", source.context, "Read from the live cluster of this kubeconfig context")
      ->type_name("NAME")
      ->each([&source](const std::string&) { source.is_live = true; });
  command.add_option("--server", source.server, "Read from a running `muster serve` at its --web-address")
      ->type_name("URL");
  command.add_option("--token-file", source.token_file, "File with the bearer token for --server")
      ->type_name("FILE");
  command
      .add_option("--server-ca", source.server_ca,
                  "CA bundle for --server, PEM (default: system trust store)")
      ->type_name("FILE");
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<std::string> TemporaryFile::fill(const std::string& text) {
  std::string folder = std::filesystem::temp_directory_path() / "muster-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return outside(folder);
  folder_ = folder;
  file_ = folder + "/live-cluster.json";
  std::ofstream out(file_, std::ios::binary);
  out << text;
  out.close();
  if (!out) return outside(file_);
  return file_;
}

Result<std::string> read_live(const StateSource& source) {
  if (!source.server.empty()) return read_server(source);
  const auto credentials = credentials_of(source);
  if (!credentials) return credentials.error();
  auto list = kube::read_cluster(*credentials);
  if (!list) return list.error();
  return list->dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int add_source_files(const StateSource& source, TemporaryFile& live, loader::InputOptions& inputs) {
  inputs.paths.insert(inputs.paths.end(), source.snapshots.begin(), source.snapshots.end());
  const bool asks_by_default = inputs.paths.empty() && is_kubectl_plugin();
  const bool is_live = source.is_live || !source.server.empty() || asks_by_default;
  if (is_live && !inputs.paths.empty()) {
    write_message("error: specify either files or a live cluster, not both");
    return kUsage;
  }
  if (!is_live && inputs.paths.empty()) {
    write_message("error: specify a FILE, or a live cluster with --kubeconfig, --context or --server");
    return kUsage;
  }
  if (!is_live) return kSuccess;
  const auto text = read_live(source);
  const auto file = text ? live.fill(*text) : Result<std::string>(text.error());
  if (!file) {
    write_message("error: {}", file.error().text());
    return kExternalFailure;
  }
  inputs.paths.push_back(*file);
  inputs.live = *file;
  return kSuccess;
}

}  // namespace muster::cli
