// Where the state comes from that questions are asked about: files, a live cluster, or a running `muster
// serve`.
#pragma once

#include <string>
#include <vector>

#include "cli/input/inputs.hpp"

namespace CLI {
class App;
}

namespace muster::cli {

struct StateSource {
  std::vector<std::string> snapshots;  // as good as files
  std::string kubeconfig, context, server, token_file, server_ca;
  bool is_live = false;  // --kubeconfig was given, or implied
};

// --kubeconfig, --context, --server, --token-file, --server-ca
void add_live_options(CLI::App& command, StateSource& source);
// The same and --snapshot.
void add_source_options(CLI::App& command, StateSource& source);

// A file that lives as long as this does.
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

// The objects of the live cluster, or what `muster serve` knows of them, as a List in JSON.
Result<std::string> read_live(const StateSource& source);

// Adds to the paths of the inputs what the source has. kSuccess, or how the command ends, told to standard
// error. `live` keeps what was read while the inputs are.
int take_source(const StateSource& source, TemporaryFile& live, InputOptions& inputs);

// The program is called as a plugin of kubectl: what is asked is asked of the live cluster.
void set_kubectl_plugin(bool is_one);
bool is_kubectl_plugin();

}  // namespace muster::cli
