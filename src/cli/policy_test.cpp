// The names that the registries list, the defaults of the configuration, and what is made of both.
#include "cli/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::cli {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

bool contains(const std::vector<KnownComponent>& known, const std::string& name) {
  return std::ranges::find(known, name, &KnownComponent::name) != known.end();
}

TEST(MakePolicy, KnowsAllThatTheDefaultConfigurationNames) {
  const KnownNames known = known_names();
  for (const std::string& action : default_actions()) EXPECT_TRUE(contains(known.actions, action)) << action;
  for (const PluginConfig& plugin : default_plugins())
    EXPECT_TRUE(contains(known.plugins, plugin.name)) << plugin.name;
}

// Whatever a factory asks for stands in its line of the registry: a debug build asserts it.
TEST(MakePolicy, MakesAllThatTheRegistriesList) {
  Config config{.actions = {}, .plugins = {}};
  for (const KnownComponent& action : known_names().actions) config.actions.emplace_back(action.name);
  for (const KnownComponent& plugin : known_names().plugins)
    config.plugins.push_back({.name = std::string(plugin.name)});
  std::vector<Error> errors;
  const Policy policy = make_policy(config, errors);
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_THAT(policy.actions, SizeIs(config.actions.size()));
  EXPECT_THAT(policy.plugins, SizeIs(config.plugins.size() - 2));
  EXPECT_EQ(skipped_text(config),
            "plugins snapshot, reflectjoborder are not in this version and are skipped");
}

TEST(MakePolicy, TellsWhatItSkips) {
  Config config;
  EXPECT_EQ(skipped_text(config), "plugin snapshot is not in this version and is skipped");
  std::erase_if(config.plugins, [](const PluginConfig& plugin) { return plugin.name == "snapshot"; });
  EXPECT_EQ(skipped_text(config), "");
}

}  // namespace
}  // namespace muster::cli
