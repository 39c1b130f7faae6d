// Lists each kind page by page, and removes from each object the parts that no decision needs.
#include "kube/cluster_reader.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "kube/clock.hpp"
#include "kube/loop.hpp"
#include "kube/resource.hpp"

namespace muster::kube {
namespace {

using nlohmann::ordered_json;

constexpr const char* kMetadataOfList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

Error outside(std::string text) { return {.message = std::move(text), .where = {}, .is_outside = true}; }

std::string text_of_path(const ordered_json& object, const char* path) {
  const ordered_json::json_pointer pointer(path);
  return object.is_object() && object.contains(pointer) && object[pointer].is_string()
             ? object[pointer].get<std::string>()
             : std::string();
}

class Listing {
 public:
  explicit Listing(ApiClient& client) : client_(client) {}

  Async<Result<ordered_json>> run() {
    const TimePoint at = wall_clock();
    for (const ObjectKind& kind : object_kinds()) {
      if (kind.watch == Watch::kNever || problem_) continue;
      co_await read_kind(&kind);
    }
    if (problem_) co_return *problem_;
    items_.push_back(scheduler_state(at));
    ordered_json list = snapshot_of(at, std::move(items_));
    strip(list);
    co_return list;
  }

 private:
  // Reads the newest version that the server has.
  Async<void> read_kind(const ObjectKind* kind) {
    Resource resource = resource_of(*kind);
    bool is_there = co_await read_version(kind, resource);
    for (const std::string_view older : kind->older_versions) {
      if (is_there || older.empty()) break;
      resource.version = older;
      is_there = co_await read_version(kind, resource);
    }
  }

  // Returns false if the server does not have this version.
  Async<bool> read_version(const ObjectKind* kind, Resource resource) {
    std::string next;
    do {
      std::string path = resource.path() + "?limit=500";
      if (!kind->field_selector.empty()) path += "&fieldSelector=" + escaped(kind->field_selector);
      if (!next.empty()) path += "&continue=" + escaped(next);
      ApiRequest request{.path = std::move(path)};
      if (kind->metadata_only) request.accept = kMetadataOfList;
      const HttpResponse answer = co_await client_.send(std::move(request));
      const bool is_absent =
          answer.status == 404 || (answer.status == 403 && kind->watch == Watch::kOptional);
      if (is_absent) co_return answer.status != 404;
      next = take_page(resource, answer);
    } while (!next.empty() && !problem_);
    co_return true;
  }

  // Returns the continue token of the next page; "" if there is none.
  std::string take_page(const Resource& resource, const HttpResponse& answer) {
    ordered_json page = answer.ok() ? ordered_json::parse(answer.body, nullptr, false) : ordered_json();
    if (!page.is_object() || !page["items"].is_array()) {
      problem_ = outside(fmt::format("{}: {}: {}", client_.server(), resource.plural, describe(answer)));
      return "";
    }
    for (ordered_json& item : page["items"]) {
      if (!item.is_object()) continue;
      ordered_json object{{"apiVersion", resource.api_version()}, {"kind", resource.kind}};
      for (auto& [key, value] : item.items())
        if (key != "apiVersion" && key != "kind") object[key] = std::move(value);
      items_.push_back(std::move(object));
    }
    return text_of_path(page, "/metadata/continue");
  }

  ApiClient& client_;
  ordered_json items_ = ordered_json::array();
  std::optional<Error> problem_;
};

void strip_containers(ordered_json& spec, const char* which) {
  if (!spec.is_object() || !spec.contains(which) || !spec[which].is_array()) return;
  for (ordered_json& container : spec[which]) {
    if (!container.is_object()) continue;
    for (const char* key :
         {"command", "args", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle"})
      container.erase(key);
    if (container.contains("env") && container["env"].is_array())
      for (ordered_json& variable : container["env"])
        if (variable.is_object()) variable.erase("value");
  }
}

void strip_object(ordered_json& object) {
  if (!object.is_object()) return;
  if (object.contains("metadata") && object["metadata"].is_object()) {
    object["metadata"].erase("managedFields");
    if (auto& metadata = object["metadata"];
        metadata.contains("annotations") && metadata["annotations"].is_object())
      metadata["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
  }
  const std::string kind = text_of_path(object, "/kind");
  if (kind == "ConfigMap") object.erase("data"), object.erase("binaryData");
  if (kind == "Pod" && object.contains("spec"))
    for (const char* which : {"containers", "initContainers", "ephemeralContainers"})
      strip_containers(object["spec"], which);
}

}  // namespace

void strip(ordered_json& list) {
  ordered_json kept = ordered_json::array();
  for (ordered_json& object : list["items"]) {
    if (text_of_path(object, "/kind") == "Secret") continue;
    strip_object(object);
    kept.push_back(std::move(object));
  }
  list["items"] = std::move(kept);
}

ordered_json scheduler_state(TimePoint at) {
  return {{"apiVersion", "muster.dev/v1"}, {"kind", "SchedulerState"}, {"at", format_time(at)}};
}

ordered_json snapshot_of(TimePoint at, ordered_json items) {
  return {{"schema", "muster.dev/snapshot/v1"},
          {"at", format_time(at)},
          {"apiVersion", "v1"},
          {"kind", "List"},
          {"metadata", ordered_json::object()},
          {"items", std::move(items)}};
}

Async<Result<ordered_json>> list_cluster(ApiClient* client) {
  Listing listing(*client);
  co_return co_await listing.run();
}

Result<ordered_json> read_cluster(const Credentials& credentials) {
  Loop loop;
  ApiClient client(loop, credentials);
  try {
    return run_alone(loop, list_cluster(&client));
  } catch (const std::exception& failure) {
    return outside(fmt::format("{}: its objects cannot be read: {}", credentials.server, failure.what()));
  }
}

Result<std::string> read_address(const std::string& url, const std::string& token,
                                 const std::string& authority) {
  HttpRequest request{.url = url, .timeout = std::chrono::seconds(60), .allow_http = true};
  if (!token.empty()) request.headers.push_back("Authorization: Bearer " + token);
  Loop loop;
  const TlsIdentity tls{.authority = authority};
  HttpResponse answer = run_alone(loop, loop.send(std::move(request), &tls));
  if (!answer.ok()) return outside(fmt::format("{}: {}", url, describe(answer)));
  return std::move(answer.body);
}

}  // namespace muster::kube
