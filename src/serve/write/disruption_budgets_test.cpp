// The effect of several simultaneous evictions on budgets.
#include "serve/write/disruption_budgets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace muster::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Labels kWeb = {{"app", "web"}}, kDatabase = {{"app", "db"}},
             kBoth = {{"app", "web"}, {"tier", "front"}};

std::vector<std::size_t> protected_by(std::vector<std::string> items, std::vector<Labels> pods) {
  const auto budgets = budgets_in(fmt::format("{{\"items\": [{}]}}", fmt::join(items, ", ")));
  return protected_pods(budgets, pods);
}

constexpr const char* kOneOfWeb =
    R"({"spec": {"selector": {"matchLabels": {"app": "web"}}}, "status": {"disruptionsAllowed": 1}})";
constexpr const char* kAllOfFront =
    R"({"spec": {"selector": {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["front"]}]}},
        "status": {"disruptionsAllowed": 9}})";

TEST(DisruptionBudgetsTest, CountsAllPodsThatAreEvictedTogether) {
  EXPECT_THAT(protected_by({kOneOfWeb}, {kWeb, kDatabase}), IsEmpty());
  EXPECT_THAT(protected_by({kOneOfWeb}, {kDatabase, kWeb, kWeb}), ElementsAre(1, 2));
}

TEST(DisruptionBudgetsTest, TwoBudgetsProtectAPod) {
  EXPECT_THAT(protected_by({kAllOfFront}, {kBoth, kBoth}), IsEmpty());
  EXPECT_THAT(protected_by({kOneOfWeb, kAllOfFront}, {kBoth}), ElementsAre(0));
}

TEST(DisruptionBudgetsTest, HandlesEmptyMissingAndInvalidSelectors) {
  EXPECT_THAT(protected_by({R"({"spec": {"selector": {}}})"}, {kDatabase}), ElementsAre(0));
  EXPECT_THAT(protected_by({R"({"spec": {}})"}, {kDatabase}), IsEmpty());
  EXPECT_THAT(protected_by({R"({"spec": {"selector": {"matchLabels": {"app": 1}}}})"}, {kDatabase}),
              ElementsAre(0));
}

}  // namespace
}  // namespace muster::serve
