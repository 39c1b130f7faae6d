// Properties of synthetic traces, which depend only on options and seed.
#include "trace/make.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "trace/trace.hpp"

namespace muster::trace {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

std::string made(const MakeOptions& options) {
  std::string text;
  make_trace(options, [&](std::string_view piece) { return text += piece, true; });
  return text;
}

Trace read(const MakeOptions& options) {
  auto trace = read_trace_in({.file = "made"}, made(options));
  EXPECT_TRUE(trace && trace->bad_rows.empty() && trace->notes.empty());
  return std::move(*trace);
}

std::string weighted(std::string_view text) {
  const auto parsed = parse_weighted(text);
  if (!parsed) return parsed.error().message;
  std::string all;
  for (const Weighted& w : *parsed) all += w.value + "*" + std::to_string(w.weight).substr(0, 4) + " ";
  return all;
}

TEST(MakeTrace, BeginsLikeThis) {
  const std::string text = made({.jobs = 3, .days = 1, .seed = 7, .checkpoint_every = hours(1)});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "submit,job,queue,user,pods,gpus,cpu,memory,duration,checkpoint_every");
  EXPECT_EQ(std::ranges::count(text, '\n'), 4);
}

TEST(MakeTrace, IsTheSameForTheSameSeed) {
  EXPECT_EQ(made({.jobs = 500, .seed = 3}), made({.jobs = 500, .seed = 3}));
  EXPECT_NE(made({.jobs = 500, .seed = 3}), made({.jobs = 500, .seed = 4}));
}

TEST(MakeTrace, JsonHasTheSameContent) {
  const Trace csv = read({.jobs = 200}), json = read({.jobs = 200, .as_json = true});
  ASSERT_EQ(csv.jobs.size(), json.jobs.size());
  for (std::size_t i = 0; i < csv.jobs.size(); ++i) {
    EXPECT_EQ(csv.jobs[i].name, json.jobs[i].name);
    EXPECT_EQ(csv.jobs[i].submit, json.jobs[i].submit);
    EXPECT_EQ(csv.jobs[i].work, json.jobs[i].work);
    EXPECT_EQ(csv.texts[csv.jobs[i].queue], json.texts[json.jobs[i].queue]);
  }
}

TEST(MakeTrace, RateFollowsDayAndWeek) {
  const Trace trace = read({.jobs = 20'000, .days = 14, .swing = 0.8, .weekend = 0.25});
  std::int64_t by_day = 0, by_night = 0, on_weekends = 0;
  for (const TraceJob& job : trace.jobs) {
    const auto since = job.submit.time_since_epoch();
    const auto hour = since / hours(1) % 24;
    by_day += hour >= 11 && hour < 17;
    by_night += hour >= 23 || hour < 5;
    on_weekends += since / hours(24) % 7 >= 5;
  }
  EXPECT_GT(by_day, 5 * by_night);
  // Two of seven days with a quarter of the arrivals: 0.5 of 5.5.
  EXPECT_NEAR(static_cast<double>(on_weekends) / 20'000, 0.5 / 5.5, 0.01);
  EXPECT_LE(trace.jobs.back().submit.time_since_epoch(), hours(24 * 14));
}

TEST(MakeTrace, DurationsHaveTheirMedianAndTail) {
  const Trace trace = read({.jobs = 20'000, .median = hours(1), .p90 = hours(10), .longest = hours(100)});
  std::vector<Duration> durations;
  for (const TraceJob& job : trace.jobs) durations.push_back(job.work.duration->first);
  std::ranges::sort(durations);
  EXPECT_NEAR(static_cast<double>(durations[10'000] / seconds(1)), 3600, 180);
  EXPECT_NEAR(static_cast<double>(durations[18'000] / seconds(1)), 36'000, 2500);
  EXPECT_LE(durations.back(), hours(100));
  EXPECT_GE(durations.front(), seconds(1));
}

TEST(MakeTrace, KeepsToTheWeights) {
  const Trace trace = read({.jobs = 10'000, .gangs = {{"1", 3}, {"32", 1}}, .gpus = {{"0.5", 1}, {"8", 1}}});
  std::map<std::int32_t, int> gangs;
  int shares = 0;
  for (const TraceJob& job : trace.jobs) ++gangs[job.pods], shares += job.gpu_share == 0.5;
  EXPECT_NEAR(gangs[1], 7500, 150);
  EXPECT_NEAR(gangs[32], 2500, 150);
  EXPECT_NEAR(shares, 5000, 150);
}

TEST(MakeTrace, BurstsComeTogether) {
  const Trace trace = read({.jobs = 1000,
                            .days = 7,
                            .gangs = {{"1", 1}},
                            .bursts = 4,
                            .burst_share = 0.2,
                            .burst_gangs = {{"16", 1}}});
  std::map<std::int64_t, int> of_moment;  // by tenth of an hour
  for (const TraceJob& job : trace.jobs)
    if (job.pods == 16) ++of_moment[job.submit.time_since_epoch() / std::chrono::minutes(6)];
  int in_all = 0;
  for (const auto& [moment, count] : of_moment) in_all += count;
  EXPECT_EQ(in_all, 200);
  EXPECT_LE(of_moment.size(), 8U);
}

TEST(MakeTrace, StopsWhenTheReaderDoes) {
  int pieces = 0;
  make_trace({.jobs = 100'000}, [&](std::string_view) { return ++pieces < 2; });
  EXPECT_EQ(pieces, 2);
}

TEST(MakeTrace, RefusesInvalidOptions) {
  EXPECT_EQ(problem_with(MakeOptions{}), "");
  EXPECT_EQ(problem_with({.jobs = 0}), "--jobs: must be 1 to 100000000");
  EXPECT_EQ(problem_with({.days = 0}), "--days: must be above 0 and at most 3650");
  EXPECT_EQ(problem_with({.queues = {{"a,b", 1}}}),
            "--queues: \"a,b\" must consist of letters, digits, - and .");
  EXPECT_EQ(problem_with({.gangs = {{"1.5", 1}}}), "--gangs: \"1.5\" is not a number of pods");
  EXPECT_EQ(problem_with({.gpus = {{"1.5", 1}}}),
            "--gpus: \"1.5\" is not a number of GPUs or a share of one");
  EXPECT_EQ(problem_with({.median = hours(2), .p90 = hours(1)}),
            "--duration-p90: must not be less than --duration");
}

TEST(Weights, AreRead) {
  EXPECT_EQ(weighted("1:6, 2:3 ,8"), "1*6.00 2*3.00 8*1.00 ");
  EXPECT_EQ(weighted("a:0,b"), "b*1.00 ");
  EXPECT_EQ(weighted(""), "no value has a weight above 0");
  EXPECT_EQ(weighted("a:x"), "\"a:x\" is not a value and weight such as 8:25");
  EXPECT_EQ(weighted("a:-1"), "\"a:-1\" is not a value and weight such as 8:25");
  EXPECT_EQ(weighted("a,a"), "\"a\" is given twice");
}

}  // namespace
}  // namespace muster::trace
