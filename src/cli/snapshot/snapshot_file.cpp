// Hashes names on request, and writes the list in the format and compression that the file name implies.
#include "cli/snapshot/snapshot_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "document/pack.hpp"
#include "terminal/output.hpp"
#include "util/stable_hash.hpp"

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

std::string text_at(const ordered_json& object, const char* path) {
  const ordered_json::json_pointer pointer(path);
  return object.is_object() && object.contains(pointer) && object[pointer].is_string()
             ? object[pointer].get<std::string>()
             : std::string();
}

// ---------------------------------------------------------------- names

constexpr std::array<std::string_view, 3> kAnnotationsRead{"kai.scheduler/", "muster.dev/", "runai"};

bool is_read(std::string_view annotation) {
  for (const std::string_view prefix : kAnnotationsRead)
    if (annotation.starts_with(prefix)) return true;
  // Those without a prefix are KAI-Scheduler's: pod-group-name, gpu-fraction, received-resource-type.
  return annotation.find('/') == annotation.npos;
}

std::string hash_of(std::string_view name) { return fmt::format("x{:016x}", stable_hash(name)); }

// Members with fixed words of the API, which may coincide with the name of an object.
constexpr std::array<std::string_view, 10> kNeverNames{"kind",   "apiVersion", "apiGroup", "schedulerName",
                                                       "phase",  "type",       "status",   "reason",
                                                       "effect", "operator"};

class Redaction {
 public:
  void learn(const ordered_json& object) {
    for (const char* path :
         {"/metadata/name", "/metadata/namespace", "/metadata/uid", "/metadata/generateName"})
      add(text_at(object, path));
    if (const ordered_json owners =
            object.value(ordered_json::json_pointer("/metadata/ownerReferences"), ordered_json::array());
        owners.is_array())
      for (const ordered_json& owner : owners) add(text_at(owner, "/name")), add(text_at(owner, "/uid"));
  }

  void rename(ordered_json& value) const {
    if (value.is_string()) value = renamed(value.get<std::string>());
    if (value.is_array())
      for (ordered_json& part : value) rename(part);
    if (value.is_object())
      for (auto& [key, part] : value.items())
        if (part.is_structured() || std::ranges::find(kNeverNames, key) == kNeverNames.end()) rename(part);
  }

 private:
  void add(const std::string& name) {
    if (!name.empty()) names_.insert(name);
  }
  // Replaces names and "namespace/name".
  std::string renamed(const std::string& text) const {
    if (names_.contains(text)) return hash_of(text);
    const auto slash = text.find('/');
    if (slash == text.npos) return text;
    const std::string ns = text.substr(0, slash), name = text.substr(slash + 1);
    return names_.contains(ns) && names_.contains(name) ? hash_of(ns) + "/" + hash_of(name) : text;
  }

  std::set<std::string> names_;
};

void drop_annotations(ordered_json& object) {
  const ordered_json::json_pointer path("/metadata/annotations");
  if (!object.contains(path) || !object[path].is_object()) return;
  ordered_json kept = ordered_json::object();
  for (const auto& [key, value] : object[path].items())
    if (is_read(key)) kept[key] = value;
  object[path] = std::move(kept);
}

// Drops parts that hold names as keys, names of things that are not objects, or names within text.
void drop_names(ordered_json& state) {
  for (const char* key : {"usage", "history", "evictedFor", "decided"}) state.erase(key);
  if (state.contains("refusedBinds") && state["refusedBinds"].is_array())
    for (ordered_json& refused : state["refusedBinds"])
      if (refused.is_object()) refused.erase("why");
}

// ---------------------------------------------------------------- YAML

void write_yaml(const ordered_json& value, std::size_t indent, std::string& out) {
  const std::string margin(indent, ' ');
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, part] : value.items()) {
      out += margin + ordered_json(key).dump() + ":";
      const bool is_nested = part.is_structured() && !part.empty();
      out += is_nested ? "\n" : " ";
      write_yaml(part, is_nested ? indent + 2 : 0, out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const ordered_json& part : value) {
      const bool is_nested = part.is_structured() && !part.empty();
      out += margin + (is_nested ? "-\n" : "- ");
      write_yaml(part, is_nested ? indent + 2 : 0, out);
    }
  } else {
    out += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  }
}

Error not_written(const std::string& file) {
  return {.message = std::generic_category().message(errno), .where = {.file = file}, .is_outside = true};
}

}  // namespace

void redact(ordered_json& list) {
  Redaction redaction;
  for (const ordered_json& object : list["items"]) redaction.learn(object);
  for (ordered_json& object : list["items"])
    if (text_at(object, "/kind") == "SchedulerState") drop_names(object);
  for (ordered_json& object : list["items"]) {
    drop_annotations(object);
    ordered_json config = std::move(object["config"]);  // only schedulerParams contains names of objects
    object.erase("config");
    redaction.rename(object);
    if (!config.is_object()) continue;
    redaction.rename(config["schedulerParams"]);
    object["config"] = std::move(config);
  }
}

std::string written_as(const ordered_json& list, const std::string& file) {
  if (file.ends_with(".yaml") || file.ends_with(".yml")) {
    std::string text;
    write_yaml(list, 0, text);
    return text;
  }
  std::string text = list.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return file.ends_with(".zst") ? packed_by_zstd(text) : text;
}

Result<void> write_snapshot(const ordered_json& list, const std::string& file) {
  const std::string text = written_as(list, file);
  if (file == "-") return write_raw(text), Result<void>();
  const std::string beside = file + ".tmp";
  errno = 0;
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    const Error error = not_written(file);
    std::remove(beside.c_str());
    return error;
  }
  ::chmod(beside.c_str(), S_IRUSR | S_IWUSR);
  if (std::rename(beside.c_str(), file.c_str()) != 0) return not_written(file);
  return {};
}

}  // namespace muster::cli
