// Credentials: how muster authenticates to the API server, and how it verifies the server.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/http.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::kube {

// A program that prints a token or a certificate: users[].user.exec of a kubeconfig.
struct ExecPlugin {
  std::string command, api_version;
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::chrono::milliseconds time_limit{30'000};  // the program is killed after this time
  std::size_t longest_output = 1U << 20U;        // a program that prints more is killed
};

// The files that parts of an identity were read from; "" for parts inside the kubeconfig itself.
struct IdentityFiles {
  std::string authority, certificate, key;
  bool any() const { return !authority.empty() || !certificate.empty() || !key.empty(); }
};

struct Credentials {
  std::string server;  // "https://host:port", without a slash at the end
  TlsIdentity tls;
  IdentityFiles files;  // read again as often as the token file
  std::string token;
  std::string token_file;   // read again once a minute and after a 401
  ExecPlugin exec;          // run again when its credential expires and after a 401
  bool allow_http = false;  // http:// is allowed; a kubeconfig cannot set this
};

// Reads a kubeconfig. If `path` is "", the files of $KUBECONFIG are used, or else ~/.kube/config. If
// `context` is "", the current context is used. Several files are merged: the first file with a value wins,
// and missing files are skipped.
Result<Credentials> read_kubeconfig(std::string path, const std::string& context = "");
// Likewise for text in memory. `name` is the file name for messages; relative paths are resolved against its
// directory.
Result<Credentials> parse_kubeconfig(const std::string& name, std::string_view text,
                                     const std::string& context);
// Reads the files of an identity again. If a file cannot be read, its previous content is kept; the first
// such error is returned.
std::optional<Error> read_again(const IdentityFiles& files, TlsIdentity& tls);
// The credentials of the ServiceAccount of the pod that muster runs in.
Result<Credentials> in_cluster_credentials();
bool runs_in_cluster();

// Decodes base64 as in kubeconfig files; whitespace is skipped. Returns nullopt if the text is not base64.
std::optional<std::string> decode_base64(std::string_view text);
// The content of a small file, such as a token or a certificate.
Result<std::string> content_of(const std::string& file);

// The credential that an exec plugin printed.
struct ExecCredential {
  std::string token, certificate, key;
  std::optional<TimePoint> expires;
};
Result<ExecCredential> parse_exec_credential(std::string_view text);
// Blocks until the program has ended or its time limit is reached.
Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin);

}  // namespace muster::kube
