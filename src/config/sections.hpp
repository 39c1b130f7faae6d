// The parts of a configuration that several kinds of files have.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "config/config.hpp"
#include "config/known_names.hpp"
#include "config/setting.hpp"

namespace muster {

// "plugin" or "action", and those there are.
struct Species {
  std::string_view noun;
  std::span<const KnownComponent> known;
};

// Null, and an error, for a name that does not exist.
const KnownComponent* look_up(const Setting& setting, const Species& species, std::string_view name);
void read_arguments(const Setting& setting, const Species& species, const KnownComponent& known,
                    ComponentConfig& component);

void read_queue_depth(const Setting& setting, const Species& species, std::map<std::string, int>& depths);
void read_limits(const Setting& setting, const KnownNames& names, SearchLimits& limits);
// What is a flag of KAI's as well, under the names of both.
std::vector<SettingKey> parameter_keys(SchedulerParams& params);
void read_params(const Setting& setting, SchedulerParams& params);

// The scheduler's own file.
void read_config(const Setting& root, const KnownNames& names, Config& config);

// Remembers where the setting stands, unless it is null.
inline SettingReader placed(Location& place, SettingReader read) {
  return [&place, read = std::move(read)](const Setting& setting) {
    if (!setting.is_null()) place = setting.where();
    read(setting);
  };
}

}  // namespace muster
