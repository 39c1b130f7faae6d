// The ServiceAccount of the pod that we run in, and files that hold credentials.
#include <cstdlib>

#include "document/file_text.hpp"
#include "kube/credentials.hpp"

namespace muster::kube {
namespace {

const std::string kServiceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> content_of(const std::string& file) {
  const auto text = FileText::open(file);
  if (!text) return text.error();
  return std::string(text->text());
}

bool runs_in_cluster() { return !environment("KUBERNETES_SERVICE_HOST").empty(); }

Result<Credentials> in_cluster_credentials() {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return Error{"not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"};
  auto authority = content_of(kServiceAccount + "ca.crt");
  if (!authority) return authority.error();
  const bool is_v6 = host.find(':') != std::string::npos;
  return Credentials{.server = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port,
                     .tls = {.authority = std::move(*authority)},
                     .token_file = kServiceAccount + "token"};
}

}  // namespace muster::kube
