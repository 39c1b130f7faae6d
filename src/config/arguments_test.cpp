// Arguments as typed values, and the messages about bad ones.
#include "config/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

enum class Resolve { kLca, kQueue };

class ArgumentsTest : public testing::Test {
 protected:
  Arguments given(std::map<std::string, std::string> arguments) {
    component_ = {
        .name = "example", .arguments = std::move(arguments), .where = {.file = "c.yaml", .line = 3}};
    for (const auto& [key, value] : component_.arguments)
      component_.argument_locations[key] = {
          .file = "c.yaml", .line = 5, .path = "tiers[0].plugins[1].arguments." + key};
    return Arguments(component_, known_, errors_);
  }
  std::vector<std::string> errors() const {
    std::vector<std::string> out;
    for (const auto& error : errors_) out.push_back(error.text());
    return out;
  }
  Resolve resolve(const Arguments& arguments) {
    return arguments.choice<Resolve>("method", {{"lca", Resolve::kLca}, {"queue", Resolve::kQueue}},
                                     Resolve::kLca);
  }

 private:
  const KnownComponent known_{"example", {"name", "delay", "k", "on", "method", "a", "b", "c", "d"}};
  ComponentConfig component_;
  std::vector<Error> errors_;
};

TEST_F(ArgumentsTest, AbsentArgumentsHaveTheirDefault) {
  const Arguments none = given({});
  EXPECT_EQ(none.text("name", "x"), "x");
  EXPECT_EQ(none.duration("delay", 5min), 5min);
  EXPECT_EQ(none.number("k", 1.5), 1.5);
  EXPECT_EQ(none.number_at_least(1, "k", 1.5), 1.5);
  EXPECT_TRUE(none.boolean("on", true));
  EXPECT_EQ(resolve(none), Resolve::kLca);
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(ArgumentsTest, ValuesAreParsed) {
  const Arguments all = given({{"delay", "1d"}, {"k", "0.25"}, {"on", "Yes"}, {"method", "queue"}});
  EXPECT_EQ(all.duration("delay", 5min), 24h);
  EXPECT_EQ(all.number("k", 1), 0.25);
  EXPECT_TRUE(all.boolean("on", false));
  EXPECT_EQ(resolve(all), Resolve::kQueue);
  EXPECT_THAT(errors(), IsEmpty());
}

TEST_F(ArgumentsTest, EachBadValueGivesTheDefaultAndAnError) {
  const Arguments bad = given({{"delay", "10"}, {"k", "1,5"}, {"on", "maybe"}, {"method", "queu"}});
  EXPECT_EQ(bad.duration("delay", 5min), 5min);
  EXPECT_EQ(bad.number("k", 1.5), 1.5);
  EXPECT_TRUE(bad.boolean("on", true));
  EXPECT_EQ(resolve(bad), Resolve::kLca);
  EXPECT_THAT(
      errors(),
      ElementsAre(
          "c.yaml:5: tiers[0].plugins[1].arguments.delay: \"10\" is not a duration (e.g. 90s, 1h30m, 2d)",
          "c.yaml:5: tiers[0].plugins[1].arguments.k: \"1,5\" is not a number",
          "c.yaml:5: tiers[0].plugins[1].arguments.on: \"maybe\" is neither true nor false",
          "c.yaml:5: tiers[0].plugins[1].arguments.method: \"queu\" is not one of lca, queue; did you mean "
          "\"queue\"?"));
}

TEST_F(ArgumentsTest, BoundsAreChecked) {
  const Arguments low = given({{"delay", "-1s"}, {"k", "0.5"}});
  EXPECT_EQ(low.duration("delay", 5min), 5min);
  EXPECT_EQ(low.number_at_least(1, "k", 1), 1);
  EXPECT_THAT(errors(), ElementsAre("c.yaml:5: tiers[0].plugins[1].arguments.delay: \"-1s\" is negative",
                                    "c.yaml:5: tiers[0].plugins[1].arguments.k: 0.5 is less than 1"));
}

TEST_F(ArgumentsTest, InfinityAndNanAreRefused) {
  const Arguments odd = given({{"a", "inf"}, {"b", "nan"}, {"c", ""}, {"d", "1 "}});
  for (const char* key : {"a", "b", "c", "d"}) EXPECT_EQ(odd.number(key, 7), 7) << key;
  EXPECT_EQ(errors().size(), 4u);
}

TEST_F(ArgumentsTest, AnErrorAboutAMissingArgumentNamesTheComponent) {
  const Arguments none = given({});
  none.fail("k", "is needed");
  EXPECT_THAT(errors(), ElementsAre("c.yaml:3: example.k: is needed"));
}

}  // namespace
}  // namespace muster
