// Past use for the cycles: waiting for it, using it, and working without it.
#include "serve/usage/usage_keeper.hpp"

#include <gmock/gmock.h>

#include <deque>

#include "kube/api_client.hpp"
#include "kube/waiting.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/backpressure.hpp"
#include "serve/write/events.hpp"

namespace muster::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct KnowsNothing final : ObservedState {
  bool knows(const kube::Resource&, std::string_view, std::string_view) const override { return false; }
  bool knows_any(const kube::Resource&) const override { return false; }
  const kube::Resource& served(const kube::Resource& kind) const override { return kind; }
  std::string version_of(const kube::Resource&, const std::string&, const std::string&) const override {
    return "";
  }
  std::optional<kube::Clock::duration> time_since_seen(const std::string&) const override { return {}; }
  const std::pair<std::string, std::string>* group_of(const std::string&) const override { return nullptr; }
  void saw(const kube::Resource&, std::string_view) override {}
  void saw_unchanged(const kube::Resource&, std::string_view) override {}
  void assume(const kube::Resource&, const std::string&) override {}
  void retract(const kube::Resource&, const std::string&, const std::string&) override {}
  void join(const std::string&, const std::string&, const std::string&) override {}
  void end_bind(const std::string&, const std::string&, const std::string&) override {}
  void end_eviction(const std::string&, const std::string&, const std::string&) override {}
  void end_annotations(const std::string&, const std::string&) override {}
};

// Returns the given answers and stops the loop after the last.
struct Scripted final : UsageSource {
  Scripted(kube::Loop& the_loop, std::deque<UsageAnswer> the_answers)
      : loop(the_loop), answers(std::move(the_answers)) {}
  kube::Async<UsageAnswer> refresh(TimePoint) override {
    UsageAnswer answer = std::move(answers.front());
    answers.pop_front();
    if (answers.empty()) loop.post([this] { loop.stop(); });
    co_return answer;
  }
  kube::Loop& loop;
  std::deque<UsageAnswer> answers;
};

const QueueUsage kHalf = {{"a", {0, 0, 0.5}}};
UsageAnswer value() { return {.shares = kHalf, .trouble = "", .was_reached = true}; }
UsageAnswer silence() { return {.shares = {}, .trouble = "no answer", .was_reached = false}; }
UsageAnswer no_data() { return {.shares = {}, .trouble = "no data", .was_reached = true}; }

class UsageKeeperTest : public testing::Test {
 protected:
  // Returns what is logged until all answers have been given.
  std::string play(std::deque<UsageAnswer> answers) {
    keeper = std::make_unique<UsageKeeper>(parts, settings,
                                           std::make_unique<Scripted>(loop, std::move(answers)), news);
    testing::internal::CaptureStderr();
    loop.post([this] { keeper->begin(); });
    loop.run();
    return testing::internal::GetCapturedStderr();
  }

  kube::Loop loop;
  kube::Signal news{loop};
  kube::ApiClient client{loop, {}};
  KnowsNothing knowledge;
  Log log;
  Events events{client, log, "test"};
  Metrics metrics{"kai", ""};
  const WriteBackpressure rush;
  const WriteServices parts{client, knowledge, events, metrics, log, rush};
  UsageSettings settings{.window_size = 1h, .fetch_interval = 1ms, .wait_timeout = 1h};
  std::unique_ptr<UsageKeeper> keeper;
};

TEST_F(UsageKeeperTest, WithoutASourceThereIsNoWait) {
  UsageKeeper without_source(parts, settings, nullptr, news);
  without_source.begin();
  EXPECT_FALSE(without_source.is_awaited());
  EXPECT_EQ(without_source.in_force(), nullptr);
}

TEST_F(UsageKeeperTest, TheFirstValueIsUsedWithoutALogLine) {
  EXPECT_EQ(play({value()}), "");
  EXPECT_FALSE(keeper->is_awaited());
  EXPECT_EQ(*keeper->in_force(), kHalf);
  EXPECT_THAT(metrics.text(), HasSubstr("kai_muster_usage_errors_total 0"));
}

TEST_F(UsageKeeperTest, WaitsForASourceThatDoesNotAnswer) {
  EXPECT_THAT(play({silence()}),
              HasSubstr("warning past use is unknown; every queue counts as unused: no answer"));
  EXPECT_TRUE(keeper->is_awaited());
  EXPECT_TRUE(keeper->in_force()->empty());
  EXPECT_THAT(metrics.text(), HasSubstr("kai_muster_usage_errors_total 1"));
}

TEST_F(UsageKeeperTest, WaitsNoLongerThanConfigured) {
  settings.wait_timeout = 0s;
  play({silence()});
  EXPECT_FALSE(keeper->is_awaited());
}

TEST_F(UsageKeeperTest, DoesNotWaitForASourceWithoutData) {
  play({no_data()});
  EXPECT_FALSE(keeper->is_awaited());
}

TEST_F(UsageKeeperTest, TheLastValueRemainsInEffectAndIsLoggedOnce) {
  const std::string said = play({value(), silence(), silence(), silence()});
  EXPECT_EQ(*keeper->in_force(), kHalf);
  EXPECT_EQ(said.find("past use was last read at"), said.rfind("past use was last read at"));
  EXPECT_THAT(said, HasSubstr(": no answer"));
}

TEST_F(UsageKeeperTest, LogsWhenThePastUseIsAvailableAgain) {
  EXPECT_THAT(play({value(), silence(), value()}), HasSubstr("info    past use is up to date"));
}

TEST_F(UsageKeeperTest, AnOldValueCountsLessAndLess) {
  settings.staleness = 0s;
  settings.window_size = 1ms;
  const std::string said = play({value(), silence(), silence(), silence(), silence(), silence()});
  EXPECT_THAT(said, HasSubstr(" and counts less and less: no answer"));
  EXPECT_THAT(*keeper->in_force(), ElementsAre(Pair("a", ElementsAre(0, 0, 0))));
}

TEST_F(UsageKeeperTest, AnOldValueKeepsItsWeightWithoutAging) {
  settings.staleness = 0s;
  settings.window_size = 1ms;
  settings.fades_when_stale = false;
  const std::string said = play({value(), silence(), silence(), silence(), silence(), silence()});
  EXPECT_THAT(said, Not(HasSubstr("fades")));
  EXPECT_EQ(*keeper->in_force(), kHalf);
}

}  // namespace
}  // namespace muster::serve
