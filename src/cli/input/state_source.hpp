// The source of the state that a command evaluates: files, a live cluster, or a running `muster serve`.
#pragma once

#include <string>
#include <vector>

#include "loader/inputs.hpp"

namespace CLI {
class App;
}

namespace muster::cli {

struct StateSource {
  std::vector<std::string> snapshots;  // read like other files
  std::string kubeconfig, context, server, token_file, server_ca;
  bool is_live = false;  // --kubeconfig was given, or implied
};

// Adds --kubeconfig, --context, --server, --token-file and --server-ca.
void add_live_options(CLI::App& command, StateSource& source);
// Adds the same options and --snapshot.
void add_source_options(CLI::App& command, StateSource& source);

// A file that is deleted with this object.
class TemporaryFile {
 public:
  TemporaryFile() = default;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  Result<std::string> fill(const std::string& text);

 private:
  std::string folder_, file_;
};

// Returns the objects of the live cluster, as the cluster or `muster serve` reports them, as a List in JSON.
Result<std::string> read_live(const StateSource& source);

// Adds the files of the source to the paths of the inputs. Returns kSuccess, or the exit code of the command
// after printing the error. `live` holds the state of a live cluster and must outlive the inputs.
int add_source_files(const StateSource& source, TemporaryFile& live, loader::InputOptions& inputs);

// Whether the program runs as a kubectl plugin. Commands then read the live cluster by default.
void set_kubectl_plugin(bool is_one);
bool is_kubectl_plugin();

}  // namespace muster::cli
