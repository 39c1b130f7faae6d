// Timers, work of other threads, and stopping a loop.
#include "kube/loop.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "kube/http_server_for_test.hpp"
#include "kube/together.hpp"
#include "kube/waiting.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;

Async<void> sleep_twice(Loop* loop, std::vector<std::string>* said) {
  co_await loop->sleep(milliseconds(2));
  said->push_back("one");
  co_await loop->sleep(milliseconds(2));
  said->push_back("two");
  loop->stop();
}

TEST(Loop, SleepersResumeInOrder) {
  Loop loop;
  std::vector<std::string> said;
  loop.post([&] { spawn(sleep_twice(&loop, &said)); });
  loop.run();
  EXPECT_EQ(said, (std::vector<std::string>{"one", "two"}));
}

Async<void> sleep_long(Loop* loop, bool* was_woken) {
  const bool slept = co_await loop->sleep(std::chrono::hours(1));
  *was_woken = !slept;
}

TEST(Loop, StoppingWakesSleepers) {
  Loop loop;
  bool was_woken = false;
  loop.post([&] {
    spawn(sleep_long(&loop, &was_woken));
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(was_woken);
}

Async<void> compute(Loop* loop, int* result) {
  *result = co_await loop->offload([] { return 42; });
  loop->stop();
}

TEST(Loop, OffloadedWorkReturnsItsResult) {
  Loop loop;
  int result = 0;
  loop.post([&] { spawn(compute(&loop, &result)); });
  loop.run();
  EXPECT_EQ(result, 42);
}

Async<void> send_to_closed_port(Loop* loop, HttpResponse* response) {
  const TlsIdentity tls;
  HttpRequest request{.url = "https://127.0.0.1:1/", .timeout = milliseconds(2000)};
  *response = co_await loop->send(std::move(request), &tls);
  loop->stop();
}

TEST(Loop, ARequestWithoutAnswerHasAnError) {
  Loop loop;
  HttpResponse response;
  loop.post([&] { spawn(send_to_closed_port(&loop, &response)); });
  loop.run();
  EXPECT_EQ(response.status, 0);
  EXPECT_NE(response.error, "");
}

Async<void> wait_for(Signal* signal, Clock::time_point until, Loop* loop, bool* woke_early) {
  co_await signal->until(until);
  *woke_early = Clock::now() < until;
  loop->stop();
}

TEST(Signal, WakesBeforeTheTimeout) {
  Loop loop;
  Signal signal(loop);
  bool woke_early = false;
  loop.post([&] {
    spawn(wait_for(&signal, Clock::now() + std::chrono::hours(1), &loop, &woke_early));
    signal.give();
  });
  loop.run();
  EXPECT_TRUE(woke_early);
}

Async<void> pass(Latch* latch, int* passed) {
  co_await latch->opened();
  ++*passed;
}

TEST(Latch, ReleasesAllWaiters) {
  Latch latch;
  int passed = 0;
  spawn(pass(&latch, &passed));
  spawn(pass(&latch, &passed));
  EXPECT_EQ(passed, 0);
  latch.open();
  spawn(pass(&latch, &passed));
  EXPECT_EQ(passed, 3);
}

// ---------------------------------------------------------------- exceptions

Async<int> fail_after(Loop* loop, milliseconds time) {
  co_await loop->sleep(time);
  throw std::runtime_error("no luck");
  co_return 1;
}

Async<void> fail_inside(Loop* loop, milliseconds time) {
  const int never = co_await fail_after(loop, time);
  static_cast<void>(never);
}

Async<void> catch_it(Loop* loop, std::string* said) {
  try {
    co_await fail_inside(loop, milliseconds(1));
  } catch (const std::exception& failure) {
    *said = failure.what();
  }
  loop->stop();
}

TEST(AsyncFailure, IsThrownInTheAwaitingCoroutine) {
  Loop loop;
  std::string said;
  loop.post([&] { spawn(catch_it(&loop, &said)); });
  loop.run();
  EXPECT_EQ(said, "no luck");
}

TEST(AsyncFailure, OfASpawnedTaskIsReportedAndAffectsNoOther) {
  Loop loop;
  std::vector<std::string> failed, said;
  loop.on_failed_task = [&](const FailedTask& task) { failed.push_back(task.text()); };
  loop.post([&] {
    spawn(fail_inside(&loop, milliseconds(1)), "of the test");
    spawn(sleep_twice(&loop, &said));
  });
  loop.run();
  EXPECT_EQ(failed, (std::vector<std::string>{"the task of the test failed: no luck"}));
  EXPECT_EQ(said.size(), 2U);
}

TEST(AsyncFailure, OfAnEssentialTaskStopsALoopWithoutAHandler) {
  Loop loop;
  loop.post([&] { spawn(fail_inside(&loop, milliseconds(1)), "of the test", TaskKind::kEssential); });
  testing::internal::CaptureStderr();
  loop.run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: the task of the test failed: no luck\n");
}

TEST(AsyncFailure, OfPostedWorkIsReported) {
  Loop loop;
  std::string said;
  loop.on_failed_task = [&](const FailedTask& task) {
    said = task.reason;
    loop.stop();
  };
  loop.post([] { throw 42; });
  loop.run();
  EXPECT_EQ(said, "an exception of an unknown type");
}

TEST(AsyncFailure, OfAHandlerIsPrinted) {
  Loop loop;
  loop.on_failed_task = [&](const FailedTask&) {
    loop.stop();
    throw std::runtime_error("the log is full");
  };
  loop.post([&] { spawn(fail_inside(&loop, milliseconds(1)), "of the test"); });
  testing::internal::CaptureStderr();
  loop.run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: reporting a failed task failed: the log is full\nerror: the task of the test failed: no "
            "luck\n");
}

Async<int> fail_on_a_thread(Loop* loop) {
  const std::string text = "a text that is too long for the small buffer";
  const auto work = [text]() -> int { throw std::runtime_error(text); };
  auto running = loop->offload(work);
  co_return co_await running;
}

TEST(AsyncFailure, OfOffloadedWorkIsThrown) {
  Loop loop;
  EXPECT_THROW(run_alone(loop, fail_on_a_thread(&loop)), std::runtime_error);
}

TEST(AsyncFailure, OfATaskThatRunsAloneIsThrown) {
  Loop loop;
  EXPECT_THROW(run_alone(loop, fail_after(&loop, milliseconds(1))), std::runtime_error);
}

Async<void> sleep_and_count(Loop* loop, milliseconds time, int* count) {
  co_await loop->sleep(time);
  ++*count;
}

Async<int> begin_three(Loop* loop) {
  int count = 0;
  std::vector<Async<void>> all;
  all.push_back(sleep_and_count(loop, milliseconds(1), &count));
  all.push_back(fail_inside(loop, milliseconds(2)));
  all.push_back(sleep_and_count(loop, milliseconds(20), &count));
  std::string said;
  try {
    co_await together(std::move(all));
  } catch (const std::exception& failure) {
    said = failure.what();
  }
  EXPECT_EQ(said, "no luck");
  co_return count;
}

TEST(AsyncFailure, OfOneOfSeveralIsThrownWhenAllAreDone) {
  Loop loop;
  EXPECT_EQ(run_alone(loop, begin_three(&loop)), 2);
}

TEST(AsyncFailure, OfAReaderEndsTheTransfer) {
  const HttpServerForTest server([](const auto&) { return HttpServerForTest::Answer{.body = "one\ntwo\n"}; });
  Loop loop;
  const TlsIdentity tls;
  HttpRequest request{.url = server.url() + "/", .allow_http = true};
  request.on_line = [](std::string_view) -> bool { throw std::runtime_error("no luck"); };
  const HttpResponse answer = run_alone(loop, loop.send(std::move(request), &tls));
  EXPECT_EQ(answer.status, 0);
  EXPECT_EQ(answer.error, "reading the answer failed: no luck");
}

}  // namespace
}  // namespace muster::kube
