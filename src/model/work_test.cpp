// Parsing of work, and the values that are drawn.
#include "model/work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace muster {
namespace {

using namespace std::chrono_literals;
using Law = RunTime::Law;

TEST(Work, ParsesRunTimes) {
  EXPECT_EQ(parse_run_time("2h"), (RunTime{Law::kFixed, 2h, {}}));
  EXPECT_EQ(parse_run_time(" 90s "), (RunTime{Law::kFixed, 90s, {}}));
  EXPECT_EQ(parse_run_time("0"), (RunTime{Law::kFixed, 0h, {}}));
  EXPECT_EQ(parse_run_time("exp(2h)"), (RunTime{Law::kExponential, 2h, {}}));
  EXPECT_EQ(parse_run_time("uniform(1h, 3h)"), (RunTime{Law::kUniform, 1h, 3h}));
  EXPECT_EQ(parse_run_time("lognormal(median=2h,p90=8h)"), (RunTime{Law::kLognormal, 2h, 8h}));
  EXPECT_EQ(parse_run_time("lognormal( p90 = 8h , median = 2h )"), (RunTime{Law::kLognormal, 2h, 8h}));
}

TEST(Work, RejectsInvalidRunTimes) {
  for (const char* text :
       {"", "2", "two hours", "-1h", "exp", "exp()", "exp(-2h)", "exp(2h", "exp(1h,2h)", "uniform(1h)",
        "uniform(3h,1h)", "uniform(1h,2h,3h)", "lognormal(2h,8h)", "lognormal(median=2h)",
        "lognormal(median=8h,p90=2h)", "lognormal(median=0s,p90=2h)", "normal(2h)", "999999999999h"})
    EXPECT_EQ(parse_run_time(text), std::nullopt) << text;
}

TEST(Work, ADrawDependsOnSeedAndNameAlone) {
  const RunTime law{Law::kExponential, 2h, {}};
  EXPECT_EQ(law.draw(1, "default/a"), law.draw(1, "default/a"));
  EXPECT_NE(law.draw(1, "default/a"), law.draw(2, "default/a"));
  EXPECT_NE(law.draw(1, "default/a"), law.draw(1, "default/b"));
  EXPECT_EQ((RunTime{Law::kFixed, 2h, {}}).draw(7, "default/a"), Duration(2h));
}

std::vector<Duration> draws(const RunTime& law, int count) {
  std::vector<Duration> all;
  for (int i = 0; i < count; ++i) all.push_back(law.draw(42, "default/job-" + std::to_string(i)));
  std::sort(all.begin(), all.end());
  return all;
}
double hours(Duration d) { return std::chrono::duration<double, std::ratio<3600>>(d).count(); }

TEST(Work, DrawsFollowTheirLaw) {
  constexpr int kCount = 20'000;
  const auto exponential_draws = draws({Law::kExponential, 2h, {}}, kCount);
  double sum = 0;
  for (Duration d : exponential_draws) sum += hours(d);
  EXPECT_NEAR(sum / kCount, 2, 0.05);
  const auto even = draws({Law::kUniform, 1h, 3h}, kCount);
  EXPECT_GE(even.front(), Duration(1h));
  EXPECT_LE(even.back(), Duration(3h));
  EXPECT_NEAR(hours(even[kCount / 4]), 1.5, 0.03);
  const auto heavy = draws({Law::kLognormal, 2h, 8h}, kCount);
  EXPECT_NEAR(hours(heavy[kCount / 2]), 2, 0.08);
  EXPECT_NEAR(hours(heavy[kCount * 9 / 10]), 8, 0.5);
}

TEST(Work, TheWorstLegalValuesStayDurations) {
  EXPECT_GE((RunTime{Law::kExponential, Duration::max(), {}}).draw(1, "a"), Duration::zero());
  EXPECT_GE((RunTime{Law::kLognormal, 1ns, Duration::max()}).draw(3, "b"), Duration::zero());
  EXPECT_EQ((RunTime{Law::kExponential, Duration::zero(), {}}).draw(1, "a"), Duration::zero());
  EXPECT_EQ((RunTime{Law::kUniform, 1h, 1h}).draw(1, "a"), Duration(1h));
}

TEST(Work, FieldsOfThePodOverrideThoseOfTheJob) {
  const Work job{.duration = RunTime{Law::kFixed, 1h, {}}, .work = {}, .checkpoint_every = 10min};
  const Work pod{.duration = RunTime{Law::kFixed, 2h, {}}};
  EXPECT_EQ(merged(pod, job), (Work{.duration = RunTime{Law::kFixed, 2h, {}}, .checkpoint_every = 10min}));
  EXPECT_TRUE(merged({}, {}).is_empty());
}

}  // namespace
}  // namespace muster
