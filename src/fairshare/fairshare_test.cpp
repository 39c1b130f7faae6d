// Divisions worked out with literal numbers, and properties of all divisions.
#include "fairshare/fairshare.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace muster::fairshare {

void PrintTo(const Member& m, std::ostream* out) {
  *out << "{quota " << m.deserved << " limit " << m.limit << " weight " << m.weight << " request "
       << m.request << " usage " << m.usage << " priority " << m.priority << " seniority " << m.age_order
       << " share " << m.share << "}";
}
void showValue(const Member& m, std::ostream& out) { PrintTo(m, &out); }

namespace {

using Members = std::vector<Member>;
using Shares = std::vector<double>;

// REQUIRES: the members are given oldest first.
Members by_age(Members members) {
  for (std::uint32_t i = 0; i < members.size(); ++i) members[i].age_order = i;
  return members;
}

Shares shares_of(const Members& members) {
  Shares shares;
  for (const Member& m : members) shares.push_back(m.share);
  return shares;
}

Shares divided(double total, double k, Members members) {
  divide(total, k, members);
  return shares_of(members);
}

TEST(Requestable, IsTheRequestUpToTheLimit) {
  EXPECT_EQ(requestable({.limit = kUnlimited, .request = 7}), 7);
  EXPECT_EQ(requestable({.limit = 5, .request = 7}), 5);
  EXPECT_EQ(requestable({.limit = 9, .request = 7}), 7);
  EXPECT_EQ(requestable({.limit = 0, .request = 7}), 0);
}

TEST(Allocatable, IsQuotaOrShareUpToTheLimit) {
  EXPECT_EQ(allocatable(2, kUnlimited, 5), 5);
  EXPECT_EQ(allocatable(6, kUnlimited, 5), 6);
  EXPECT_EQ(allocatable(2, 3, 5), 3);
  EXPECT_EQ(allocatable(2, 8, 5), 5);
  EXPECT_EQ(allocatable(0, 0, 0), 0);
  EXPECT_EQ(allocatable(kUnlimited, 8, 5), 8);
  EXPECT_EQ(allocatable(kUnlimited, kUnlimited, 5), kUnlimited);
}

struct Example {
  std::string name;
  double total;
  Members members;
  Shares shares;
  double left = 0;
  double k = 0;
};
void PrintTo(const Example& e, std::ostream* out) { *out << e.name; }

class WorkedExample : public testing::TestWithParam<Example> {};

// fairshare.md 11, examples 1 to 15.
TEST_P(WorkedExample, Divides) {
  const Example& e = GetParam();
  Members members = by_age(e.members);
  const double left = divide(e.total, e.k, members);
  EXPECT_EQ(shares_of(members), e.shares);
  EXPECT_NEAR(left, e.left, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Division, WorkedExample,
    testing::Values(Example{.name = "E01_ByWeight",
                            .total = 8,
                            .members = {{.deserved = 2, .weight = 1, .request = 6},
                                        {.deserved = 2, .weight = 3, .request = 6}},
                            .shares = {3, 5}},
                    // Over quota: 1.4 and 5.6. The larger fraction gets the spare unit.
                    Example{.name = "E02_LargerFractionFirst",
                            .total = 11,
                            .members = {{.deserved = 2, .weight = 1, .request = 10},
                                        {.deserved = 2, .weight = 4, .request = 10}},
                            .shares = {3, 8}},
                    // 3.5 each.
                    Example{.name = "E03_EqualFractionsTheOlder",
                            .total = 11,
                            .members = {{.deserved = 2, .weight = 2, .request = 6},
                                        {.deserved = 2, .weight = 2, .request = 6}},
                            .shares = {6, 5}},
                    Example{.name = "E04_SecondRound",
                            .total = 12,
                            .members = {{.deserved = 2, .limit = 5, .weight = 2, .request = 6},
                                        {.deserved = 2, .weight = 2, .request = 6}},
                            .shares = {5, 6},
                            .left = 1},
                    Example{.name = "E05_PriorityBeatsWeightNotQuota",
                            .total = 6,
                            .members = {{.deserved = 2, .weight = 100, .request = 6, .priority = 1},
                                        {.deserved = 2, .weight = 1, .request = 6, .priority = 2}},
                            .shares = {2, 4}},
                    Example{.name = "E06_QuotaNobodyAsksFor",
                            .total = 5,
                            .members = {{.deserved = 2, .weight = 2, .request = 5, .priority = 2},
                                        {.deserved = 2, .weight = 2, .request = 5, .priority = 2},
                                        {.deserved = 1, .weight = 2, .request = 0, .priority = 1}},
                            .shares = {3, 2, 0}},
                    Example{.name = "E07_FractionalRequests",
                            .total = 45,
                            .members = {{.deserved = 12, .weight = 12, .request = 32.55},
                                        {.deserved = 7, .weight = 7, .request = 9.5},
                                        {.deserved = 2, .limit = 2, .weight = 2, .request = 1.65}},
                            .shares = {32.55, 9.5, 1.65},
                            .left = 1.3},
                    Example{.name = "E08_LimitLeavesMoreToTheOther",
                            .total = 1000,
                            .members = {{.deserved = 250, .weight = 1, .request = 5000},
                                        {.deserved = 150, .limit = 400, .weight = 2, .request = 5000}},
                            .shares = {600, 400}},
                    Example{.name = "E09_QuotaAboveTheTotal",
                            .total = 1,
                            .members = {{.deserved = 3, .weight = 0, .request = 2}},
                            .shares = {2}},
                    Example{.name = "E10_LeftoverFraction",
                            .total = 0.5,
                            .members = {{.weight = 1, .request = 5, .share = 3}},
                            .shares = {3.5}},
                    // Its running pods count as request only.
                    Example{
                        .name = "E11_WeightZero",
                        .total = 10000,
                        .members = {{.deserved = 5000, .weight = 5000, .request = 10000}, {.request = 5000}},
                        .shares = {10000, 0}},
                    // 0.5 each is rounded down to 0, and the lower priority is served before the roundings.
                    Example{.name = "E12_RoundingGoesToTheLowerPriority",
                            .total = 1,
                            .members = {{.weight = 1, .request = 5, .priority = 2},
                                        {.weight = 1, .request = 5, .priority = 2},
                                        {.weight = 1, .request = 5, .priority = 1}},
                            .shares = {0, 0, 1}},
                    Example{.name = "E13_LeftoverIsNotCapped",
                            .total = 1,
                            .members = Members(5, {.limit = 0.5, .weight = 1, .request = 0.5}),
                            .shares = {1, 0, 0, 0, 0}},
                    // Pulls 0.4 and 0.8: 3.33 and 6.67.
                    Example{.name = "E14_PastUse",
                            .total = 10,
                            .members = {{.weight = 1, .request = 10, .usage = 0.6},
                                        {.weight = 1, .request = 10, .usage = 0.2}},
                            .shares = {3, 7},
                            .k = 1},
                    Example{.name = "E15_TooMuchPastUse",
                            .total = 10,
                            .members = {{.weight = 1, .request = 10, .usage = 2.5}},
                            .shares = {0},
                            .left = 10,
                            .k = 1}),
    [](const auto& test) { return test.param.name; });

// d1 over q1 and d2 over q2, all with weight 1 and request 100 unless set otherwise; fairshare.md 11,
// examples 16 to 19.
struct Tree {
  double total;
  Member d1, q1, d2, q2;
};

// Returns the shares of d1, q1, d2, q2. Each queue divides its own share between its children.
Shares divided_down(Tree t) {
  for (Member* m : {&t.d1, &t.q1, &t.d2, &t.q2}) m->request = 100;
  Members top = by_age({t.d1, t.d2});
  divide(t.total, 0, top);
  divide(top[0].share, 0, {&t.q1, 1});
  divide(top[1].share, 0, {&t.q2, 1});
  return {top[0].share, t.q1.share, top[1].share, t.q2.share};
}

TEST(Hierarchy, E16_ChildQuotaAboveTheParentsShare) {
  EXPECT_EQ(divided_down({.total = 4,
                          .d1 = {.deserved = 3, .weight = 1},
                          .q1 = {.deserved = 2, .weight = 1},
                          .d2 = {.deserved = 1, .weight = 1},
                          .q2 = {.deserved = 2, .weight = 1}}),
            (Shares{3, 3, 1, 2}));
}

TEST(Hierarchy, E17_ChildrenShareWhatTheParentGot) {
  EXPECT_EQ(divided_down({.total = 12,
                          .d1 = {.deserved = 3, .weight = 1},
                          .q1 = {.deserved = 2, .weight = 1},
                          .d2 = {.deserved = 1, .weight = 1},
                          .q2 = {.deserved = 2, .weight = 1}}),
            (Shares{7, 7, 5, 5}));
}

TEST(Hierarchy, E18_WeightsOfTheParents) {
  EXPECT_EQ(divided_down({.total = 12,
                          .d1 = {.deserved = 3, .weight = 1},
                          .q1 = {.deserved = 2, .weight = 1},
                          .d2 = {.deserved = 1, .weight = 7},
                          .q2 = {.deserved = 2, .weight = 1}}),
            (Shares{4, 4, 8, 8}));
}

TEST(Hierarchy, E19_PrioritiesOfTheParents) {
  EXPECT_EQ(divided_down({.total = 12,
                          .d1 = {.deserved = 1, .weight = 7, .priority = 1},
                          .q1 = {.deserved = 1, .weight = 1},
                          .d2 = {.deserved = 1, .weight = 1, .priority = 2},
                          .q2 = {.deserved = 1, .weight = 1}}),
            (Shares{1, 1, 11, 11}));
}

TEST(Divide, NoMembersLeaveEverything) { EXPECT_EQ(divide(7, 0, {}), 7); }

TEST(Divide, UnlimitedQuotaIsTheWholeTotal) {
  // The quota of each member is the whole total, so both get their request and the total is given out twice.
  EXPECT_EQ(
      divided(8, 0,
              by_age({{.deserved = kUnlimited, .request = 20}, {.deserved = kUnlimited, .request = 6}})),
      (Shares{8, 6}));
}

TEST(Divide, OverSubscribedQuotasLeaveNothingToWeights) {
  Members members =
      by_age({{.deserved = 4, .weight = 9, .request = 9}, {.deserved = 4, .weight = 9, .request = 9}});
  EXPECT_EQ(divide(6, 0, members), 0);
  EXPECT_EQ(shares_of(members), (Shares{4, 4}));
}

TEST(Divide, FractionsSurviveRounds) {
  // Round one: 7.75, 3.875, 3.875; granted are 7, 3 and the requested 1. Round two: 4.5 to divide, 3
  // and 1.5. The last half goes to the fraction 0.75 recorded in round one, not to the 0.5 of round two.
  EXPECT_EQ(
      divided(
          15.5, 0,
          by_age({{.weight = 2, .request = 90}, {.weight = 1, .request = 90}, {.weight = 1, .request = 1}})),
      (Shares{10.5, 4, 1}));
}

TEST(Divide, SeniorityDecidesInAnyInputOrder) {
  Members members = {{.weight = 1, .request = 9, .age_order = 2},
                     {.weight = 1, .request = 9, .age_order = 0},
                     {.weight = 1, .request = 9, .age_order = 1}};
  divide(5, 0, members);
  EXPECT_EQ(shares_of(members), (Shares{1, 2, 2}));
}

// ---- Properties. Amounts are quarters, so that sums are exact and can be compared exactly.

int between(int low, int high) { return *rc::gen::inRange(low, high + 1); }
double quarters(int most) { return between(0, 4 * most) / 4.0; }
double one_of(std::vector<double> values) { return *rc::gen::elementOf(values); }

Member any_member() {
  Member m;
  m.deserved = one_of({0, kUnlimited, quarters(10), quarters(10), quarters(10)});
  m.limit = one_of({kUnlimited, kUnlimited, quarters(30)});
  m.weight = one_of({0, 1, 1, 2, 3, 7, quarters(5)});
  m.request = quarters(30);
  m.priority = between(1, 3);
  return m;
}

Members any_members() {
  Members members(static_cast<std::size_t>(between(0, 9)));
  for (Member& m : members) m = any_member();
  return by_age(members);
}

Members with_past_use(Members members) {
  for (Member& m : members) m.usage = one_of({0, 0.1, 0.5, between(0, 30) / 10.0});
  return members;
}

double quota_of(const Member& m, double total) {
  return std::min(m.deserved == kUnlimited ? total : m.deserved, requestable(m));
}

double sum(const Shares& shares) {
  double s = 0;
  for (const double share : shares) s += share;
  return s;
}

// The shares sum to at most the total, or the quotas if they are more; the rest is returned.
RC_GTEST_PROP(DivideProperty, AccountsForTheTotal, ()) {
  const double total = quarters(60);
  Members members = with_past_use(any_members());
  double quotas = 0;
  for (const Member& m : members) quotas += quota_of(m, total);
  const double left = divide(total, one_of({0, 0.3, 1}), members);
  RC_ASSERT(left >= 0);
  RC_ASSERT(sum(shares_of(members)) + left == std::max(total, quotas));
}

// Each member gets its quota; with weight 0 nothing else. Only a rounding leftover exceeds the request, by
// less than 1.
RC_GTEST_PROP(DivideProperty, KeepsEachWithinItsBounds, ()) {
  const double total = quarters(60);
  Members members = with_past_use(any_members());
  divide(total, one_of({0, 0.3, 1}), members);
  for (const Member& m : members) {
    const double quota = quota_of(m, total);
    RC_ASSERT(m.share >= quota);
    RC_ASSERT(m.weight > 0 || m.share == quota);
    RC_ASSERT(m.share < requestable(m) + 1);
  }
}

// Members with a weight get their whole request before anything is left. (Past use can reduce a weight to 0.)
RC_GTEST_PROP(DivideProperty, LeavesNothingThatIsRequested, ()) {
  Members members = any_members();
  RC_PRE(divide(quarters(100), 0, members) > 0);
  for (const Member& m : members) RC_ASSERT(m.weight == 0 || m.share >= requestable(m));
}

// The shares are equal to the last bit, for arbitrary amounts.
RC_GTEST_PROP(DivideProperty, DoesNotDependOnTheOrderOfMembers, ()) {
  const double total = quarters(60) / 3, k = one_of({0, 0.3, 1});
  Members members = with_past_use(any_members());
  for (Member& m : members) {
    if (m.deserved != kUnlimited) m.deserved /= 7;
    m.request /= 3;
    m.weight /= 11;
  }
  Members shuffled = members, again = members;
  std::mt19937 random(static_cast<unsigned>(between(0, 1 << 20)));
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  const double left = divide(total, k, members);
  RC_ASSERT(divide(total, k, shuffled) == left);
  RC_ASSERT(divide(total, k, again) == left);
  std::sort(shuffled.begin(), shuffled.end(),
            [](const Member& a, const Member& b) { return a.age_order < b.age_order; });
  RC_ASSERT(shares_of(shuffled) == shares_of(members));
  RC_ASSERT(shares_of(again) == shares_of(members));
}

RC_GTEST_PROP(DivideProperty, IgnoresKWithoutPastUse, ()) {
  const double total = quarters(60);
  const Members members = any_members();
  RC_ASSERT(divided(total, 0, members) == divided(total, 1, members));
}

// Two equal members differ by one rounding at most, in favour of the older one.
RC_GTEST_PROP(DivideProperty, TreatsEqualsAlike, ()) {
  Members members = any_members();
  members.push_back(any_member());
  members.push_back(members.back());
  members = by_age(members);
  divide(quarters(60), 0, members);
  const double younger = members.back().share, older = members[members.size() - 2].share;
  RC_ASSERT(older >= younger);
  RC_ASSERT(older <= younger + 1);
}

// Weights of lower priorities do not affect higher ones, except for roundings.
RC_GTEST_PROP(DivideProperty, ServesHigherPrioritiesFirst, ()) {
  const double total = quarters(60);
  Members members = any_members(), other = members;
  for (Member& m : other)
    if (m.priority == 1) m.weight = one_of({0, 1, 50});
  divide(total, 0, members);
  divide(total, 0, other);
  for (std::size_t i = 0; i < members.size(); ++i)
    RC_ASSERT(members[i].priority == 1 || std::abs(members[i].share - other[i].share) <= 1);
}

}  // namespace
}  // namespace muster::fairshare
