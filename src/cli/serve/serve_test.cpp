// Messages of `muster serve` before it connects to a cluster.
#include <gmock/gmock.h>

#include "cli/command_for_test.hpp"

namespace muster::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kRefused = 1, kNoCluster = 3;

Ran serve_with(const std::string& config) {
  const TemporaryFiles files;
  return run_muster(
      {"serve", "--scheduler-conf", files.add("c.yaml", config), "--kubeconfig", "/none/that/exists"});
}

TEST(Serve, AnUnsetVariableForTheAddressOfPrometheusIsAnErrorWithItsLocation) {
  unsetenv("MUSTER_TEST_NOT_SET");
  const Ran ran =
      serve_with("usageDBConfig:\n  clientType: prometheus\n  connectionStringEnvVar: MUSTER_TEST_NOT_SET\n");
  EXPECT_EQ(ran.exit_code, kRefused);
  EXPECT_THAT(ran.err, HasSubstr("c.yaml:3: usageDBConfig.connectionStringEnvVar: the variable "
                                 "MUSTER_TEST_NOT_SET is not set"));
}

TEST(Serve, WarnsAboutAClientWithoutPastUsage) {
  const Ran ran = serve_with("usageDBConfig:\n  clientType: fake\n");
  EXPECT_EQ(ran.exit_code, kNoCluster);
  EXPECT_THAT(ran.err,
              HasSubstr("usageDBConfig: clientType fake provides no past usage; use prometheus or embedded"));
}

TEST(Serve, DoesNotWarnAboutClientsWithPastUsage) {
  for (const char* client :
       {"clientType: embedded", "clientType: prometheus\n  connectionString: http://p"}) {
    const Ran ran = serve_with("usageDBConfig:\n  " + std::string(client) + "\n");
    EXPECT_EQ(ran.exit_code, kNoCluster);
    EXPECT_THAT(ran.err, Not(HasSubstr("past usage")));
  }
}

// KAI-Scheduler's operator always passes some flags with an empty value after the "=".
TEST(Serve, AnEmptyValueDoesNotConsumeTheNextArgument) {
  const Ran ran = run_muster({"serve", "--partition-label-value=", "--schedule-period=soon"});
  EXPECT_THAT(ran.err, HasSubstr("--schedule-period"));
  EXPECT_EQ(
      run_muster({"serve", "--resource-reservation-app-label=", "--kubeconfig=/none/that/exists"}).exit_code,
      kNoCluster);
  EXPECT_EQ(run_muster({"serve", "--kubeconfig=/none/that/exists", "--pyroscope-address="}).exit_code,
            kNoCluster);
}

TEST(Serve, DefaultQueuesAreCheckedAtTheStart) {
  const TemporaryFiles files;
  const auto serve_with_queues = [&](const std::string& text) {
    return run_muster(
        {"serve", "--kubeconfig", "/none/that/exists", "--default-queues", files.add("q.yaml", text)});
  };
  EXPECT_EQ(serve_with_queues(queue_yaml("research", "", "quota: 4")).exit_code, kNoCluster);
  const Ran other = serve_with_queues(node_yaml("n", 1));
  EXPECT_EQ(other.exit_code, kRefused);
  EXPECT_THAT(other.err, HasSubstr("q.yaml: expected only Queue objects, found a Node"));
  EXPECT_THAT(serve_with_queues("").err, HasSubstr("q.yaml: contains no Queue"));
}

}  // namespace
}  // namespace muster::cli
