// Timers, work of other threads, and the end of a loop.
#include "kube/loop.hpp"

#include <gtest/gtest.h>

#include "kube/waiting.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;

Async<void> sleep_twice(Loop& loop, std::vector<std::string>& said) {
  co_await loop.sleep(milliseconds(2));
  said.push_back("one");
  co_await loop.sleep(milliseconds(2));
  said.push_back("two");
  loop.stop();
}

TEST(Loop, SleepersGoOnInOrder) {
  Loop loop;
  std::vector<std::string> said;
  loop.post([&] { spawn(sleep_twice(loop, said)); });
  loop.run();
  EXPECT_EQ(said, (std::vector<std::string>{"one", "two"}));
}

Async<void> sleep_long(Loop& loop, bool& was_cut) {
  const bool slept = co_await loop.sleep(std::chrono::hours(1));
  was_cut = !slept;
}

TEST(Loop, StoppingWakesWhoSleeps) {
  Loop loop;
  bool was_cut = false;
  loop.post([&] {
    spawn(sleep_long(loop, was_cut));
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(was_cut);
}

Async<void> compute(Loop& loop, int& result) {
  result = co_await loop.offload([] { return 42; });
  loop.stop();
}

TEST(Loop, OffloadedWorkComesBack) {
  Loop loop;
  int result = 0;
  loop.post([&] { spawn(compute(loop, result)); });
  loop.run();
  EXPECT_EQ(result, 42);
}

Async<void> ask_nobody(Loop& loop, HttpResponse& response) {
  const TlsIdentity tls;
  HttpRequest request{.url = "https://127.0.0.1:1/", .timeout = milliseconds(2000)};
  response = co_await loop.send(std::move(request), tls);
  loop.stop();
}

TEST(Loop, ARequestThatNobodyAnswersSaysWhy) {
  Loop loop;
  HttpResponse response;
  loop.post([&] { spawn(ask_nobody(loop, response)); });
  loop.run();
  EXPECT_EQ(response.status, 0);
  EXPECT_NE(response.error, "");
}

Async<void> wait_for(Signal& signal, Clock::time_point until, Loop& loop, bool& woke_early) {
  co_await signal.until(until);
  woke_early = Clock::now() < until;
  loop.stop();
}

TEST(Signal, WakesBeforeItsTime) {
  Loop loop;
  Signal signal(loop);
  bool woke_early = false;
  loop.post([&] {
    spawn(wait_for(signal, Clock::now() + std::chrono::hours(1), loop, woke_early));
    signal.give();
  });
  loop.run();
  EXPECT_TRUE(woke_early);
}

Async<void> pass(Latch& latch, int& passed) {
  co_await latch.opened();
  ++passed;
}

TEST(Latch, LetsEverybodyThrough) {
  Latch latch;
  int passed = 0;
  spawn(pass(latch, passed));
  spawn(pass(latch, passed));
  EXPECT_EQ(passed, 0);
  latch.open();
  spawn(pass(latch, passed));
  EXPECT_EQ(passed, 3);
}

}  // namespace
}  // namespace muster::kube
