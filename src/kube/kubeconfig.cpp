// Reads credentials from a kubeconfig: the server, how it is verified, and how muster authenticates.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <span>

#include "document/document.hpp"
#include "kube/credentials.hpp"
#include "kube/json.hpp"

namespace muster::kube {
namespace {

namespace fs = std::filesystem;

using Documents = std::vector<const Document*>;

// Looks up the parts of credentials in the merged files; keeps the first error.
class Reader {
 public:
  Reader(const Documents& documents, std::string context)
      : documents_(documents), document_(documents.front()), context_(std::move(context)) {}

  Result<Credentials> read() {
    for (const Document* document : documents_) {
      if (!document->root().is_object()) return Error{"is not a kubeconfig", {.file = document->file()}};
      if (context_.empty()) context_ = text_at(document->root(), "current-context");
    }
    if (context_.empty()) fail("current-context", "is not set; choose a context with --context");
    const auto context = named("contexts", "context", context_);
    const auto cluster = context ? named("clusters", "cluster", text_at(*context, "cluster")) : std::nullopt;
    if (cluster) read_cluster(*cluster);
    const auto user = cluster ? named("users", "user", text_at(*context, "user")) : std::nullopt;
    if (user) read_user(*user);
    if (error_) return *error_;
    return std::move(credentials_);
  }

 private:
  void fail(const std::string& path, std::string message) {
    if (!error_) error_ = {std::move(message), {document_->file(), document_->line_of(path), "", path}};
  }

  // Finds an entry such as clusters: [{name: x, cluster: {…}}] in the first file that has it, and makes that
  // file the current document.
  std::optional<Json> named(const std::string& list, std::string_view member, std::string_view name) {
    std::optional<Json> found;
    for (const Document* document : documents_) {
      each_item(part_at(document->root(), list), [&](Json item) {
        if (!found && text_at(item, "name") == name) found = part_at(item, member), document_ = document;
      });
      if (found) return found;
    }
    document_ = documents_.front();
    fail(list, fmt::format("has no {} \"{}\"", member, name));
    return found;
  }

  void read_cluster(Json cluster) {
    credentials_.server = text_at(cluster, "server");
    while (credentials_.server.ends_with('/')) credentials_.server.pop_back();
    if (!credentials_.server.starts_with("https://")) fail("clusters", "server: must be an https:// address");
    if (is_true_at(cluster, "insecure-skip-tls-verify"))
      fail("clusters",
           "insecure-skip-tls-verify: muster always verifies the server; set certificate-authority instead");
    credentials_.tls.server_name = text_at(cluster, "tls-server-name");
    credentials_.tls.proxy = text_at(cluster, "proxy-url");
    credentials_.tls.authority =
        data_or_file(cluster, "certificate-authority", "clusters", credentials_.files.authority);
  }

  void read_user(Json user) {
    credentials_.tls.certificate =
        data_or_file(user, "client-certificate", "users", credentials_.files.certificate);
    credentials_.tls.key = data_or_file(user, "client-key", "users", credentials_.files.key);
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

  // Returns the decoded "<key>-data", or the content of the file named by "<key>" and stores its path in
  // `used_file`.
  std::string data_or_file(Json object, std::string_view key, const std::string& path,
                           std::string& used_file) {
    if (const std::string_view data = text_at(object, fmt::format("{}-data", key)); !data.empty()) {
      auto decoded = decode_base64(data);
      if (!decoded) fail(path, fmt::format("{}-data: is not base64", key));
      return decoded.value_or("");
    }
    const std::string_view file = text_at(object, key);
    if (file.empty()) return "";
    used_file = beside(file);
    auto text = content_of(used_file);
    if (!text) fail(path, fmt::format("{}: {}", key, text.error().text()));
    return text ? std::move(*text) : "";
  }

  std::string beside(std::string_view file) const {
    return (fs::path(document_->file()).parent_path() / file).string();
  }

  const Documents& documents_;
  const Document* document_;  // the one that relative paths and errors refer to
  std::string context_;
  Credentials credentials_;
  std::optional<Error> error_;
};

struct NamedText {
  std::string file, text;
};

// A document is valid only inside its callback, so the remaining files are read recursively inside it.
Result<Credentials> parse_all(std::span<const NamedText> files, Documents& documents,
                              const std::string& context) {
  if (files.empty()) return Reader(documents, context).read();
  std::optional<Result<Credentials>> result;
  read_documents_in(
      files.front().file, files.front().text,
      [&](const Document& document) {
        if (result) return;
        documents.push_back(&document);
        result = parse_all(files.subspan(1), documents, context);
        documents.pop_back();
      },
      [&](const Error& error) { result = error; });
  if (!result) return Error{"is empty", {.file = files.front().file}};
  return *std::move(result);
}

std::vector<std::string> listed_files(std::string_view list) {
  std::vector<std::string> files;
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) files.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(colon + 1, list.size()));
  }
  return files;
}

std::vector<std::string> default_files() {
  if (const char* list = std::getenv("KUBECONFIG"); list != nullptr)
    if (std::vector<std::string> files = listed_files(list); !files.empty()) return files;
  const char* home = std::getenv("HOME");
  return {(fs::path(home == nullptr ? "/" : home) / ".kube/config").string()};
}

}  // namespace

Result<Credentials> parse_kubeconfig(const std::string& name, std::string_view text,
                                     const std::string& context) {
  const NamedText only{name, std::string(text)};
  Documents documents;
  return parse_all({&only, 1}, documents, context);
}

Result<Credentials> read_kubeconfig(std::string path, const std::string& context) {
  const std::vector<std::string> files = path.empty() ? default_files() : std::vector{std::move(path)};
  std::vector<NamedText> texts;
  for (const std::string& file : files) {
    std::error_code ignored;
    const bool may_be_missing = files.size() > 1 && !(texts.empty() && &file == &files.back());
    if (may_be_missing && !fs::exists(file, ignored)) continue;
    auto text = content_of(file);
    if (!text) return text.error();
    texts.push_back({file, *std::move(text)});
  }
  Documents documents;
  return parse_all(texts, documents, context);
}

}  // namespace muster::kube
