// Credentials of the pod's ServiceAccount, and files that hold credentials.
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

std::optional<Error> read_again(const IdentityFiles& files, TlsIdentity& tls) {
  std::optional<Error> trouble;
  for (const auto& [file, text] :
       {std::pair(&files.authority, &tls.authority), std::pair(&files.certificate, &tls.certificate),
        std::pair(&files.key, &tls.key)}) {
    if (file->empty()) continue;
    auto content = content_of(*file);
    if (content && !content->empty())
      *text = *std::move(content);
    else if (!trouble)
      trouble = content ? Error{"is empty", {.file = *file}} : content.error();
  }
  return trouble;
}

bool runs_in_cluster() { return !environment("KUBERNETES_SERVICE_HOST").empty(); }

Result<Credentials> in_cluster_credentials() {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return Error{"not running in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set"};
  auto authority = content_of(kServiceAccount + "ca.crt");
  if (!authority) return authority.error();
  const bool is_v6 = host.find(':') != std::string::npos;
  return Credentials{.server = "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + port,
                     .tls = {.authority = std::move(*authority)},
                     .files = {.authority = kServiceAccount + "ca.crt"},
                     .token_file = kServiceAccount + "token"};
}

}  // namespace muster::kube
