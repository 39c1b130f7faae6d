// Finds the configuration among the documents of a file and reads it according to its kind.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "config/kai_objects.hpp"
#include "config/sections.hpp"
#include "config/usage_section.hpp"
#include "document/json.hpp"
#include "document/texts.hpp"

namespace muster {
namespace {

enum class Role { kOther, kFile, kConfigMap, kShard, kKaiConfig, kSnapshot };

struct Found {
  Role role = Role::kOther;
  std::string name;  // "SchedulingShard gpu-shard"
  Location where;
  std::size_t index = 0;  // of the document
};

std::string_view member_text(Json object, std::string_view pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

// The scheduler's file in a ConfigMap: the entry config.yaml, or the only entry.
struct Embedded {
  std::string key;
  std::string_view text;
};
std::optional<Embedded> embedded_file(Json config_map) {
  simdjson::dom::object data;
  if (config_map.at_key("data").get(data)) return std::nullopt;
  for (const auto& [key, value] : data)
    if (std::string_view text; (key == "config.yaml" || data.size() == 1) && !value.get(text))
      return Embedded{std::string(key), text};
  return std::nullopt;
}

bool is_snapshot(const Document& document) {
  return document.kind().empty() && document.root().is_object() &&
         document.root().at_key("rawObjects").is_object();
}

// Whether this is a muster snapshot with a configuration.
bool is_state_with_config(const Document& document) {
  return document.kind() == "SchedulerState" && document.api_version() == "muster.dev/v1" &&
         document.root().at_key("config").is_object();
}

Role role_of(const Document& document) {
  const std::string_view kind = document.kind();
  const bool is_kai = document.api_version().starts_with("kai.scheduler/");
  if (is_snapshot(document) || is_state_with_config(document)) return Role::kSnapshot;
  if (kind.empty()) return Role::kFile;
  if (kind == "SchedulingShard" && is_kai) return Role::kShard;
  if (kind == "Config" && is_kai) return Role::kKaiConfig;
  if (kind == "ConfigMap" && embedded_file(document.root())) return Role::kConfigMap;
  return Role::kOther;
}

std::string name_of(const Document& document, Role role) {
  if (role == Role::kFile) return "a scheduler's file";
  if (role == Role::kSnapshot) return "a snapshot";
  const std::string_view name = member_text(document.root(), "/metadata/name");
  return name.empty() ? std::string(document.kind()) : fmt::format("{} {}", document.kind(), name);
}

Found found(const Document& document, std::size_t index) {
  const Role role = role_of(document);
  return {role, name_of(document, role), {.file = document.file(), .line = document.line_of("")}, index};
}

class Loading {
 public:
  Loading(const std::vector<NamedText>& texts, const KnownNames& names, LoadedConfig& loaded)
      : texts_(texts), names_(names), loaded_(loaded) {}

  void run() {
    look();
    const Found* const kai = only(&Loading::is_kai_config);
    const Found* const base = only(&Loading::is_base);
    if (!loaded_.errors.empty()) return;
    if (kai == nullptr && base == nullptr && !found_.empty()) return refuse(found_.front());
    std::string prometheus;
    if (kai != nullptr)
      read(*kai, [&](const Document& d) {
        prometheus = read_kai_config(Setting(d, loaded_.errors), loaded_.config.params);
      });
    if (base != nullptr) read(*base, [&](const Document& d) { read_base(base->role, d); });
    if (base != nullptr && base->role == Role::kShard) complete_usage(prometheus);
  }

 private:
  static bool is_kai_config(const Found& one) { return one.role == Role::kKaiConfig; }
  static bool is_base(const Found& one) { return one.role != Role::kKaiConfig && one.role != Role::kOther; }

  void each(const std::function<void(const Document&, std::size_t)>& use,
            const std::function<void(const Error&)>& fail) {
    std::size_t index = 0;
    for (const NamedText& text : texts_)
      read_documents_of(
          text, Snapshots::kWhole, [&](const Document& document) { use(document, index++); }, fail);
  }

  void look() {
    each(
        [&](const Document& document, std::size_t index) {
          if (!document.root().is_null()) found_.push_back(found(document, index));
        },
        [&](const Error& error) { loaded_.errors.push_back(error); });
  }

  void read(const Found& one, const std::function<void(const Document&)>& use) {
    each(
        [&](const Document& document, std::size_t index) {
          if (index == one.index) use(document);
        },
        [](const Error&) {});
  }

  // Returns null if there is none, and reports an error if there are several.
  const Found* only(bool (*is_wanted)(const Found&)) {
    std::vector<const Found*> wanted;
    for (const Found& one : found_)
      if (is_wanted(one)) wanted.push_back(&one);
    if (wanted.size() > 1) {
      std::vector<std::string> all;
      for (const Found* one : wanted)
        all.push_back(one->where.line > 0 ? fmt::format("{} on line {}", one->name, one->where.line)
                                          : one->name);
      loaded_.errors.push_back(
          {fmt::format("found several configurations: {}; keep only one", fmt::join(all, ", ")),
           wanted[1]->where});
    }
    return wanted.empty() ? nullptr : wanted.front();
  }

  void refuse(const Found& other) {
    loaded_.errors.push_back(
        {fmt::format("{} is not a configuration; expected a scheduler's file, a ConfigMap with one, "
                     "a SchedulingShard or Config of kai.scheduler/v1, or a snapshot",
                     other.name),
         other.where});
  }

  void read_base(Role role, const Document& document) {
    const Setting root(document, loaded_.errors);
    if (role == Role::kFile) read_config(root, names_, loaded_.config);
    if (role == Role::kShard) read_shard(root, names_, loaded_.config, loaded_.warnings);
    if (role == Role::kSnapshot) loaded_ = read_snapshot_config(document, names_);
    if (role == Role::kConfigMap) read_embedded(document);
  }

  void read_embedded(const Document& document) {
    const auto file = embedded_file(document.root());
    std::vector<NamedText> inner;
    inner.push_back(named_text(fmt::format("{}:{}", document.file(), file->key), file->text));
    Loading(inner, names_, loaded_).run();
  }

  // Uses the operator's Prometheus if a shard names none, like the operator.
  void complete_usage(const std::string& prometheus) {
    UsageSettings& usage = loaded_.config.usage;
    const bool has_address = !usage.connection_string.empty() || !usage.connection_string_env_var.empty();
    if (!usage.is_prometheus() || has_address) return;
    usage.connection_string = prometheus;
    if (prometheus.empty()) loaded_.errors.push_back({kNoUsageAddress, loaded_.config.places.usage});
  }

  const std::vector<NamedText>& texts_;
  const KnownNames& names_;
  LoadedConfig& loaded_;
  std::vector<Found> found_;
};

// ---- Warnings about missing parts

const KnownComponent* known(const std::vector<KnownComponent>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &KnownComponent::name);
  return found == all.end() ? nullptr : &*found;
}

void warn_of_missing_plugins(const KnownNames& names, LoadedConfig& loaded) {
  for (const KnownComponent& plugin : names.plugins)
    if (!plugin.if_missing.empty() && std::ranges::find(loaded.config.plugins, plugin.name,
                                                        &PluginConfig::name) == loaded.config.plugins.end())
      loaded.warnings.push_back({fmt::format("without plugin \"{}\", {}", plugin.name, plugin.if_missing),
                                 loaded.config.places.plugins});
}

void warn_of_missing_generators(const KnownNames& names, LoadedConfig& loaded) {
  for (const PluginConfig& plugin : loaded.config.plugins)
    if (const KnownComponent* one = known(names.plugins, plugin.name);
        one != nullptr && !one->generator.empty() && !one->only_with_others)
      return;
  std::vector<std::string_view> idle, generators;
  for (const std::string& action : loaded.config.actions)
    if (const KnownComponent* one = known(names.actions, action); one != nullptr && one->needs_generator)
      idle.push_back(one->name);
  for (const KnownComponent& plugin : names.plugins)
    if (!plugin.generator.empty() && !plugin.only_with_others) generators.push_back(plugin.name);
  if (idle.empty()) return;
  loaded.warnings.push_back(
      {fmt::format("without a scenario generator (plugin {}), these actions evict nothing: {}",
                   fmt::join(generators, " or "), fmt::join(idle, ", ")),
       loaded.config.places.plugins});
}

LoadedConfig with_warnings(LoadedConfig loaded, const KnownNames& names) {
  if (!loaded.errors.empty()) return loaded;
  if (loaded.config.actions.empty())
    loaded.warnings.push_back(
        {"no actions are configured, so the scheduler does nothing", loaded.config.places.actions});
  if (loaded.config.places.plugins.file.empty()) return loaded;
  warn_of_missing_plugins(names, loaded);
  warn_of_missing_generators(names, loaded);
  return loaded;
}

}  // namespace

LoadedConfig load_config(const std::string& path, const KnownNames& names) {
  LoadedConfig loaded;
  std::vector<NamedText> texts;
  for_each_text(
      path, [&](NamedText text) { texts.push_back(std::move(text)); },
      [&](const Error& error) { loaded.errors.push_back(error); });
  Loading(texts, names, loaded).run();
  return with_warnings(std::move(loaded), names);
}

LoadedConfig parse_config(const std::string& name, std::string_view text, const KnownNames& names) {
  LoadedConfig loaded;
  std::vector<NamedText> texts;
  texts.push_back(named_text(name, text));
  Loading(texts, names, loaded).run();
  return with_warnings(std::move(loaded), names);
}

std::optional<SnapshotConfig> config_in_snapshot(const Document& document, const KnownNames& names) {
  if (!is_snapshot(document) && !is_state_with_config(document)) return std::nullopt;
  SnapshotConfig config;
  for (const char* key : {"config", "schedulerParams"})
    if (Json part; !document.root().at_key(key).get(part) && !part.is_null())
      config.text += fmt::format("{}: {}\n", key, std::string(simdjson::minify(part)));
  if (config.text.empty()) return std::nullopt;
  config.loaded = with_warnings(read_snapshot_config(document, names), names);
  return config;
}

}  // namespace muster
