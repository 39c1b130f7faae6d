// Queries for Prometheus and its answers.
#include "usage/prometheus.hpp"

#include <gmock/gmock.h>

namespace muster {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

const TimePoint kNow = *parse_time("2025-06-01T12:00:00Z");

TEST(UsageQueries, SumOverTheWindow) {
  const auto q = usage_queries({.window_size = 1h}, {}, kNow);
  EXPECT_EQ(q.allocation[2],
            "sum_over_time((max by (queue_name) (kai_queue_allocated_gpus))[3600000ms:60000ms])");
  EXPECT_EQ(q.capacity[0],
            "sum_over_time((sum(sum(kube_node_status_capacity{resource=\"cpu\"}) or "
            "max(kai_muster_capacity_cpu_cores{nodepool=\"\"})))[3600000ms:60000ms])");
}

TEST(UsageQueries, WeighByTheHalfLife) {
  const auto q = usage_queries({.window_size = 1h, .half_life = 10min}, {}, kNow);
  EXPECT_EQ(q.allocation[1],
            "sum_over_time((max by (queue_name) (kai_queue_allocated_memory_bytes) * 0.5 ^ ((1748779200.000 "
            "- time()) / 600.000))[3600000ms:60000ms])");
}

TEST(UsageQueries, UseTheConfiguredMetrics) {
  UsageSettings s{.query_resolution = 30s};
  s.allocation_metrics[2] = "my_gpus";
  s.capacity_metrics[2] = "sum(my_capacity)";
  const auto q = usage_queries(s, {.prefix = "mine", .node_pool = "a\"b"}, kNow);
  EXPECT_EQ(q.allocation[2], "sum_over_time((max by (queue_name) (my_gpus))[604800000ms:30000ms])");
  EXPECT_EQ(q.capacity[2], "sum_over_time((sum(sum(my_capacity)))[604800000ms:30000ms])");
  EXPECT_THAT(q.allocation[0], testing::HasSubstr("(mine_queue_allocated_cpu_cores)"));
  EXPECT_THAT(q.capacity[0], testing::HasSubstr("max(mine_muster_capacity_cpu_cores{nodepool=\"a\\\"b\"})"));
}

TEST(UsageQueries, FindASampleInAWindowThatHasJustBegun) {
  const UsageSettings s{.window_type = UsageWindow::kTumbling, .tumbling_start = kNow - 3s};
  EXPECT_THAT(usage_queries(s, {}, kNow).allocation[2], testing::HasSubstr("[3000ms:3000ms]"));
}

TEST(UsageAnswers, AreValuesByQueue) {
  const auto values = values_in(R"({"status":"success","data":{"resultType":"vector","result":[
      {"metric":{"queue_name":"a"},"value":[1748779200.123,"12.5"]},
      {"metric":{},"value":[1748779200.123,"3"]}]}})");
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(Pair("", 3), Pair("a", 12.5)));
}

TEST(UsageAnswers, ReportErrors) {
  const auto problem = [](const char* answer) { return values_in(answer).error().message; };
  EXPECT_EQ(problem(R"({"status":"error","errorType":"timeout","error":"query timed out"})"),
            "query timed out");
  for (const char* odd :
       {"", "<html>", "{}", "[]", R"({"data":[]})", R"({"data":{"resultType":"matrix","result":[]}})",
        R"({"data":{"resultType":"vector","result":[{"metric":{}}]}})",
        R"({"data":{"resultType":"vector","result":[{"value":[1]}]}})"})
    EXPECT_EQ(problem(odd), "the answer is not a Prometheus query result") << odd;
  for (const char* number : {"NaN", "+Inf", "-1", "", "12x"})
    EXPECT_EQ(problem((R"({"data":{"resultType":"vector","result":[{"value":[1,")" + std::string(number) +
                       R"("]}]}})")
                          .c_str()),
              "\"" + std::string(number) + "\" is not an amount");
}

// Two samples of a cluster of 8 GPUs, one half life apart: 8 GPUs in use, then 2. (8·0.5 + 2·1)
// (8·0.5 + 8·1) = 6
// 12.
TEST(UsageShares, AreDecayedUseOverDecayedCapacity) {
  UsageSums sums;
  sums.allocation[2] = {{"a", 6}};
  sums.allocation[0] = {{"a", 6}, {"b", 4}};
  sums.capacity = {0, 0, 12};
  EXPECT_THAT(shares_of(sums),
              ElementsAre(Pair("a", ElementsAre(0, 0, 0.5)), Pair("b", ElementsAre(0, 0, 0))));
}

TEST(UsageAddress, ComesFromTheFileOrTheEnvironment) {
  UsageSettings s{.connection_string = "http://one:9090"};
  EXPECT_EQ(*usage_address(s), "http://one:9090");
  s.connection_string_env_var = "MUSTER_TEST_OF_ADDRESS";
  s.env_var_place = {.file = "c.yaml", .line = 3, .path = "usageDBConfig.connectionStringEnvVar"};
  unsetenv("MUSTER_TEST_OF_ADDRESS");
  EXPECT_EQ(usage_address(s).error().text(),
            "c.yaml:3: usageDBConfig.connectionStringEnvVar: the variable MUSTER_TEST_OF_ADDRESS is not "
            "set; set it to an address such as http://prometheus.monitoring:9090");
  setenv("MUSTER_TEST_OF_ADDRESS", "prometheus:9090", 1);
  EXPECT_THAT(usage_address(s).error().message, testing::HasSubstr("is not an address such as"));
  setenv("MUSTER_TEST_OF_ADDRESS", "https://two/prefix", 1);
  EXPECT_EQ(*usage_address(s), "https://two/prefix");
}

}  // namespace
}  // namespace muster
