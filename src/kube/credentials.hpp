// Who we are to the API server and how we know that it is the API server.
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
  std::chrono::milliseconds time_limit{30'000};  // then it is killed
  std::size_t longest_output = 1U << 20U;        // one that prints more is killed
};

// Where parts of an identity were read from; "" for those that stood in the kubeconfig itself.
struct IdentityFiles {
  std::string authority, certificate, key;
  bool any() const { return !authority.empty() || !certificate.empty() || !key.empty(); }
};

struct Credentials {
  std::string server;  // "https://host:port", without a slash at the end
  TlsIdentity tls;
  IdentityFiles files;  // read again as the token file is
  std::string token;
  std::string token_file;     // read again once a minute and after a 401
  ExecPlugin exec;            // asked again when what it gave runs out and after a 401
  bool may_be_plain = false;  // http:// is as good as https://; no kubeconfig can say so
};

// From a kubeconfig; "" for `path` means those of $KUBECONFIG, then ~/.kube/config. `context` "": the current
// one. Several files count as one, in which the first that says something is right; those of a list that do
// not exist are left out.
Result<Credentials> read_kubeconfig(std::string path, const std::string& context = "");
// The same over text in memory: `name` stands for the file in messages, relative files are looked up beside
// it.
Result<Credentials> parse_kubeconfig(const std::string& name, std::string_view text,
                                     const std::string& context);
// Reads the files of an identity again. One that can not be read leaves what was known; the first such is
// told.
std::optional<Error> read_again(const IdentityFiles& files, TlsIdentity& tls);
// Of the ServiceAccount of the pod that we run in.
Result<Credentials> in_cluster_credentials();
bool runs_in_cluster();

// Base64 as kubeconfig files have it: white space is skipped. Nothing if the text is none.
std::optional<std::string> decode_base64(std::string_view text);
// A small file: a token, a certificate.
Result<std::string> content_of(const std::string& file);

// What an exec plugin printed.
struct ExecCredential {
  std::string token, certificate, key;
  std::optional<TimePoint> expires;
};
Result<ExecCredential> parse_exec_credential(std::string_view text);
// Blocks until the program has ended, or its time is up.
Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin);

}  // namespace muster::kube
