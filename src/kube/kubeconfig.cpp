// Credentials from a kubeconfig: the server, how it is verified, and who we are to it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "document/document.hpp"
#include "kube/credentials.hpp"
#include "kube/json.hpp"

namespace muster::kube {
namespace {

namespace fs = std::filesystem;

// The parts of one file while they are looked up; the first thing that is wrong stays.
class Reader {
 public:
  Reader(const Document& document, std::string context) : document_(document), context_(std::move(context)) {}

  Result<Credentials> read() {
    if (!document_.root().is_object()) return Error{"is no kubeconfig", {.file = document_.file()}};
    if (context_.empty()) context_ = text_at(document_.root(), "current-context");
    const auto context = named("contexts", "context", context_);
    const auto cluster = context ? named("clusters", "cluster", text_at(*context, "cluster")) : std::nullopt;
    const auto user = cluster ? named("users", "user", text_at(*context, "user")) : std::nullopt;
    if (cluster) read_cluster(*cluster);
    if (user) read_user(*user);
    if (error_) return *error_;
    return std::move(credentials_);
  }

 private:
  void fail(const std::string& path, std::string message) {
    if (!error_) error_ = {std::move(message), {document_.file(), document_.line_of(path), "", path}};
  }

  // clusters: [{name: x, cluster: {…}}]
  std::optional<Json> named(const std::string& list, std::string_view member, std::string_view name) {
    std::optional<Json> found;
    each_item(part_at(document_.root(), list), [&](Json item) {
      if (!found && text_at(item, "name") == name) found = part_at(item, member);
    });
    if (!found) fail(list, fmt::format("has no {} \"{}\"", member, name));
    return found;
  }

  void read_cluster(Json cluster) {
    credentials_.server = text_at(cluster, "server");
    while (credentials_.server.ends_with('/')) credentials_.server.pop_back();
    if (!credentials_.server.starts_with("https://")) fail("clusters", "server: must be an https:// address");
    if (is_true_at(cluster, "insecure-skip-tls-verify"))
      fail("clusters",
           "insecure-skip-tls-verify: muster always verifies the server; give certificate-authority");
    credentials_.tls.server_name = text_at(cluster, "tls-server-name");
    credentials_.tls.proxy = text_at(cluster, "proxy-url");
    credentials_.tls.authority = data_or_file(cluster, "certificate-authority", "clusters");
  }

  void read_user(Json user) {
    credentials_.tls.certificate = data_or_file(user, "client-certificate", "users");
    credentials_.tls.key = data_or_file(user, "client-key", "users");
    credentials_.token = text_at(user, "token");
    if (const std::string_view file = text_at(user, "tokenFile"); !file.empty())
      credentials_.token_file = beside(file);
    if (const auto exec = part_at(user, "exec")) read_exec(*exec);
    for (const char* key : {"auth-provider", "username"})
      if (user.at_key(key).error() == simdjson::SUCCESS)
        fail("users", fmt::format("{}: is not supported; use exec, a token or a client certificate", key));
  }

  void read_exec(Json exec) {
    ExecPlugin& plugin = credentials_.exec;
    plugin.command = text_at(exec, "command");
    if (plugin.command.find('/') != std::string::npos) plugin.command = beside(plugin.command);
    plugin.api_version = text_at(exec, "apiVersion");
    each_item(part_at(exec, "args"), [&](Json item) {
      std::string_view text;
      if (item.get(text) == simdjson::SUCCESS) plugin.arguments.emplace_back(text);
    });
    each_item(part_at(exec, "env"), [&](Json item) {
      plugin.environment[std::string(text_at(item, "name"))] = text_at(item, "value");
    });
    if (plugin.command.empty()) fail("users", "exec.command: is missing");
  }

  // "client-key-data" in base64, or the content of the file "client-key".
  std::string data_or_file(Json object, std::string_view key, const std::string& path) {
    if (const std::string_view data = text_at(object, fmt::format("{}-data", key)); !data.empty()) {
      auto decoded = decode_base64(data);
      if (!decoded) fail(path, fmt::format("{}-data: is not base64", key));
      return decoded.value_or("");
    }
    const std::string_view file = text_at(object, key);
    if (file.empty()) return "";
    auto text = content_of(beside(file));
    if (!text) fail(path, fmt::format("{}: {}", key, text.error().text()));
    return text ? std::move(*text) : "";
  }

  std::string beside(std::string_view file) const {
    return (fs::path(document_.file()).parent_path() / file).string();
  }

  const Document& document_;
  std::string context_;
  Credentials credentials_;
  std::optional<Error> error_;
};

std::string default_path() {
  if (const char* path = std::getenv("KUBECONFIG"); path != nullptr && *path != '\0') {
    const std::string all(path);
    return all.substr(0, all.find(':'));
  }
  const char* home = std::getenv("HOME");
  return (fs::path(home == nullptr ? "/" : home) / ".kube/config").string();
}

}  // namespace

Result<Credentials> parse_kubeconfig(const std::string& name, std::string_view text,
                                     const std::string& context) {
  std::optional<Result<Credentials>> result;
  read_documents_in(
      name, text,
      [&](const Document& document) {
        if (!result) result = Reader(document, context).read();
      },
      [&](const Error& error) { result = error; });
  if (!result) return Error{"is empty", {.file = name}};
  return *std::move(result);
}

Result<Credentials> read_kubeconfig(std::string path, const std::string& context) {
  if (path.empty()) path = default_path();
  const auto text = content_of(path);
  if (!text) return text.error();
  return parse_kubeconfig(path, *text, context);
}

}  // namespace muster::kube
