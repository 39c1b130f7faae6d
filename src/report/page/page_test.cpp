// The data of the page, and the page with the data inserted.
#include "report/page/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/page_data.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

TimePoint at_clock(const char* clock) { return *parse_time(std::string("2025-06-01T") + clock + "Z"); }

JobOutcome job_outcome(const char* name, const char* queue, const char* submitted, const char* started) {
  JobOutcome job{.name = name, .queue = queue, .gpus = 8000, .submitted = at_clock(submitted)};
  if (started != nullptr) job.first_start = at_clock(started);
  return job;
}

RunOutcome outcome() {
  RunOutcome result{.from = at_clock("12:00:00"), .to = at_clock("18:00:00"), .eviction_count = 1};
  result.jobs = {job_outcome("default/at-once", "a", "12:00:00", "12:00:00"),
                 job_outcome("default/slow", "a", "12:00:00", "14:00:00"),
                 job_outcome("default/never", "b", "13:00:00", nullptr),
                 job_outcome("default/short", "b", "13:00:00", "13:04:00")};
  result.jobs[1].waits = {{at_clock("12:00:00"), at_clock("14:00:00"), "no room"}};
  result.evictions = {{at_clock("12:30:00"), "default/p-0", "default/p", "a", "reclaim", "default/slow",
                       "over its share", "n1"}};
  return result;
}

ordered_json data_of(const RunOutcome& run) {
  const ComparedRun compared{.config = "ours", .outcome = run};
  return page_data({&compared, 1})["runs"][0];
}

TEST(PageData, CountsWaitsByQueue) {
  EXPECT_EQ(
      data_of(outcome())["waits"].dump(),
      R"({"bins":["at once","≤ 1m","≤ 5m","≤ 15m","≤ 1h","≤ 4h","≤ 12h","≤ 1d","≤ 3d","> 3d","never"],)"
      R"("queues":[{"name":"a","counts":[1,0,0,0,0,1,0,0,0,0,0]},{"name":"b","counts":[0,0,1,0,0,0,0,0,0,0,1]}]})");
}

TEST(PageData, SlowestJobsComeFirst) {
  const ordered_json slowest = data_of(outcome())["slowest"];
  ASSERT_EQ(slowest.size(), 3U) << "a job that did not wait is not listed";
  EXPECT_EQ(slowest[0].dump(),
            R"({"name":"default/never","queue":"b","gpus":8.0,"submitted":"2025-06-01T13:00:00Z",)"
            R"("firstStart":null,"waitSeconds":18000.0,"stretches":[]})");
  EXPECT_EQ(slowest[1]["stretches"].dump(),
            R"([{"from":"2025-06-01T12:00:00Z","to":"2025-06-01T14:00:00Z","reason":"no room"}])");
  EXPECT_EQ(slowest[2]["name"], "default/short");
}

TEST(PageData, KeepsTheReportWithoutJobs) {
  const ordered_json data = data_of(outcome());
  EXPECT_EQ(data["report"]["schema"], "muster.dev/simulation/v1");
  EXPECT_EQ(data["report"]["from"], "2025-06-01T12:00:00Z");
  EXPECT_FALSE(data["report"].contains("jobs"));
  EXPECT_FALSE(data["report"].contains("wallSeconds"));
  EXPECT_EQ(data["evictionCount"], 1);
  EXPECT_EQ(
      data["evictions"][0].dump(),
      R"({"at":"2025-06-01T12:30:00Z","pod":"default/p-0","queue":"a","action":"reclaim","for":"default/slow",)"
      R"("rule":"over its share"})");
}

std::string page_with_name(const std::string& name) {
  ComparedRun run{.config = name, .outcome = outcome()};
  run.outcome.jobs.front().queue = run.outcome.jobs[2].name = name;
  return page_of({&run, 1});
}

TEST(Page, NamesAreEscaped) {
  const std::string page = page_with_name("</script><script>alert(1)</script><!--&");
  EXPECT_THAT(page, Not(HasSubstr("</script><script>alert")));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)\\u003c/script>\\u003c!--&"));
}

TEST(Page, InsertedTextIsNotExpanded) {
  const std::string page = page_with_name("{{data}}{{script}}");
  EXPECT_THAT(page, HasSubstr("\"name\":\"{{data}}{{script}}\""));
  EXPECT_THAT(page, Not(HasSubstr("{{licence}}")));
}

TEST(PageData, SeveralRunsHaveDifferences) {
  const std::vector<ComparedRun> runs{{.config = "a", .outcome = outcome()},
                                      {.config = "", .outcome = outcome()}};
  const ordered_json data = page_data(runs);
  EXPECT_EQ(data["runs"][1]["name"], "default configuration");
  ASSERT_FALSE(data["differences"].empty());
  EXPECT_EQ(data["differences"][0]["values"].size(), 2U);
  EXPECT_TRUE(page_data({runs.data(), 1})["differences"].empty());
}

TEST(Page, InvalidUtf8IsReplaced) {
  EXPECT_THAT(page_with_name("\xFF"), HasSubstr("\"name\":\"\xEF\xBF\xBD\""));
}

TEST(Page, IsSelfContained) {
  const std::string page = page_with_name("q");
  EXPECT_THAT(page, HasSubstr("Chart.js v"));
  EXPECT_THAT(page, HasSubstr("Permission is hereby granted, free of charge"));
  for (const char* loads : {"<link", "src=\"", "@import", "url("}) EXPECT_THAT(page, Not(HasSubstr(loads)));
}

}  // namespace
}  // namespace muster::report
