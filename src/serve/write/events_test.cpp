// Repeated events raise a count, rates are limited, and memory is bounded.
#include "serve/write/events.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <vector>

#include "serve/health/log.hpp"

namespace muster::serve {
namespace {

// No server listens there: every request fails at once, without an answer.
constexpr const char* kUnreachable = "https://127.0.0.1:9";

Event about(const std::string& pod, const std::string& message) {
  return {.about = {"v1", "Pod", "default", pod, pod + "-uid"},
          .is_warning = true,
          .reason = "Test",
          .message = message};
}

// Method and path of the requests that were sent; the last one belongs to the event that ends the test.
std::vector<std::string> sent(const std::function<void(Events&)>& use,
                              std::chrono::nanoseconds repeat = std::chrono::minutes(1)) {
  kube::Loop loop;
  kube::ApiClient client(loop, {.server = kUnreachable}, {.per_lane = {1, 1, 1, 1, 1, 1}});
  Log log(0);
  Events events(client, log, "test", repeat);
  std::vector<std::string> methods;
  client.on_answer = [&](const kube::ApiRequest& request, int, std::chrono::nanoseconds) {
    methods.push_back(request.method + " " + request.path);
    if (request.body.find("the end") != std::string::npos) loop.stop();
  };
  loop.post([&] {
    use(events);
    events.record(about("last", "the end"));
  });
  loop.run();
  return methods;
}

TEST(Events, RepeatedEventsAreSuppressed) {
  const auto methods = sent([](Events& events) {
    for (int i = 0; i < 3; ++i) events.record(about("a", "waits"));
    events.record(about("a", "waits for two"));
    events.record(about("b", "waits"));
  });
  const auto is_new = testing::StartsWith("POST /api/v1/namespaces/default/events");
  EXPECT_THAT(methods, testing::ElementsAre(is_new, is_new, is_new, is_new));
}

TEST(Events, EventsOfOneObjectAreLimited) {
  const auto methods = sent([](Events& events) {
    for (int i = 0; i < 50; ++i) events.record(about("a", std::to_string(i)));
  });
  EXPECT_EQ(methods.size(), 26U);
}

// A queue has no namespace, but its events have one.
TEST(Events, ARepeatedEventRaisesTheCount) {
  const auto methods = sent(
      [](Events& events) {
        Event event = about("q", "is over its quota");
        event.about.ns.clear();
        events.record(event);
        events.record(event);
      },
      std::chrono::nanoseconds(0));
  ASSERT_EQ(methods.size(), 3U);
  EXPECT_THAT(methods[1], testing::StartsWith("PATCH /api/v1/namespaces/default/events/q."));
}

TEST(Events, OneObjectDoesNotUseUpTheCommonLimit) {
  const auto methods = sent([](Events& events) {
    for (int i = 0; i < 5'000; ++i) events.record(about("a", std::to_string(i)));
    for (int i = 0; i < 20; ++i) events.record(about("b", std::to_string(i)));
  });
  EXPECT_EQ(methods.size(), 25U + 20 + 1);
}

TEST(Events, MemoryDoesNotGrowWithTheNumberOfPods) {
  sent([](Events& events) {
    for (int i = 0; i < 40'000; ++i) {
      Event event = about("pod-" + std::to_string(i), "placed");
      event.is_warning = false;  // some tokens are reserved for warnings, so the last event can be sent
      events.record(std::move(event));
    }
    EXPECT_LE(events.remembered(), 2U * 2 * 4096);
  });
}

}  // namespace
}  // namespace muster::serve
