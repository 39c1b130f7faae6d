// The names in the registries, the defaults of the configuration, and the policies created from them.
#include "policy/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::policy {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

bool contains(const std::vector<KnownComponent>& known, const std::string& name) {
  return std::ranges::find(known, name, &KnownComponent::name) != known.end();
}

TEST(MakePolicy, KnowsAllNamesInTheDefaultConfiguration) {
  const KnownNames known = known_names();
  for (const std::string& action : default_actions()) EXPECT_TRUE(contains(known.actions, action)) << action;
  for (const PluginConfig& plugin : default_plugins())
    EXPECT_TRUE(contains(known.plugins, plugin.name)) << plugin.name;
}

// A debug build asserts that a factory uses only what its registry entry declares.
TEST(MakePolicy, CreatesEverythingInTheRegistries) {
  Config config{.actions = {}, .plugins = {}};
  for (const KnownComponent& action : known_names().actions) config.actions.emplace_back(action.name);
  for (const KnownComponent& plugin : known_names().plugins)
    config.plugins.push_back({.name = std::string(plugin.name), .where = {.file = "c.yaml"}});
  std::vector<Error> errors;
  const Policy policy = make_policy(config, errors);
  EXPECT_THAT(errors, IsEmpty());
  EXPECT_THAT(policy.actions, SizeIs(config.actions.size()));
  EXPECT_THAT(policy.plugins, SizeIs(config.plugins.size() - 2));
  EXPECT_EQ(skipped_text(config),
            "plugins snapshot, reflectjoborder are not in this version and are skipped");
}

TEST(MakePolicy, ReportsSkippedPlugins) {
  EXPECT_EQ(skipped_text({}), "") << "no plugin is named";
  const auto skipped = [](const std::string& text) {
    return skipped_text(parse_config("c.yaml", text, known_names()).config);
  };
  EXPECT_EQ(skipped("tiers: [{plugins: [{name: ray}, {name: snapshot}]}]\n"),
            "plugin snapshot is not in this version and is skipped");
  EXPECT_EQ(skipped("tiers: [{plugins: [{name: ray}]}]\n"), "");
  const std::string shard = "{apiVersion: kai.scheduler/v1, kind: SchedulingShard, spec: {plugins: {";
  EXPECT_EQ(skipped(shard + "ray: {}}}}\n"), "");
  EXPECT_EQ(skipped(shard + "snapshot: {}}}}\n"), "plugin snapshot is not in this version and is skipped");
}

TEST(WrittenConfig, TheDefaultsCanBeReadAgain) {
  const LoadedConfig again = parse_config("c.json", text_of(Config()), known_names());
  EXPECT_TRUE(again) << again.errors.front().text();
  EXPECT_EQ(text_of(again.config), text_of(Config()));
}

}  // namespace
}  // namespace muster::policy
