// Which changes of the configuration a running scheduler can apply.
#include "cli/serve/configuration_file.hpp"

#include <gmock/gmock.h>

namespace muster::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(KeysThatNeedRestart, AreThoseThatDetermineReadingAndWriting) {
  const Config running;
  Config wanted = running;
  EXPECT_THAT(keys_that_need_restart(running, wanted), IsEmpty());
  wanted.params.schedule_period = std::chrono::seconds(5);
  wanted.params.default_staleness_grace_period = std::chrono::seconds(5);
  wanted.actions = {"allocate"};
  EXPECT_THAT(keys_that_need_restart(running, wanted), IsEmpty());
  wanted.params.scheduler_name = "other";
  wanted.params.full_hierarchy_fairness = false;
  wanted.params.compatibility.take_once = false;
  wanted.usage.client_type = "embedded";
  EXPECT_THAT(keys_that_need_restart(running, wanted),
              ElementsAre("schedulerName", "fullHierarchyFairness", "takeOnce", "usageDBConfig"));
}

}  // namespace
}  // namespace muster::cli
