// Only the newest update per object is sent, and no dropped one.
#include "serve/write/status_queue.hpp"

#include <gmock/gmock.h>

namespace muster::serve {
namespace {

using testing::ElementsAre;

// No server listens there: every request fails at once, without an answer.
constexpr const char* kNoServer = "https://127.0.0.1:9";

class StatusQueueTest : public testing::Test {
 protected:
  StatusQueue::Update update(std::string path) {
    return {.make = [path] { return kube::ApiRequest{.method = "PATCH", .path = path}; }};
  }
  // Runs until the path `last` was sent; returns all paths sent.
  std::vector<std::string> sent(const std::function<void(StatusQueue&)>& use, const std::string& last) {
    kube::Loop loop;
    kube::ApiClient client(loop, {.server = kNoServer}, {.per_lane = {1, 1, 1, 1, 1, 1}});
    StatusQueue queue(client);
    std::vector<std::string> paths;
    client.on_answer = [&](const kube::ApiRequest& request, int, std::chrono::nanoseconds) {
      paths.push_back(request.path);
      if (request.path == last) loop.stop();
    };
    loop.post([&] { use(queue); });
    loop.run();
    return paths;
  }
};

TEST_F(StatusQueueTest, ANewerUpdateReplacesAnOlderOne) {
  EXPECT_THAT(sent(
                  [&](StatusQueue& queue) {
                    queue.put("first", update("/first"));
                    queue.put("a", update("/a-old"));
                    queue.put("b", update("/b"));
                    queue.put("a", update("/a-new"));
                    EXPECT_EQ(queue.waiting(), 2U) << "the first is in progress";
                  },
                  "/b"),
              ElementsAre("/first", "/a-new", "/b"));
}

TEST_F(StatusQueueTest, ADroppedUpdateIsNotSent) {
  EXPECT_THAT(sent(
                  [&](StatusQueue& queue) {
                    queue.put("first", update("/first"));
                    queue.put("bound", update("/bound"));
                    queue.put("last", update("/last"));
                    queue.drop("bound");
                  },
                  "/last"),
              ElementsAre("/first", "/last"));
}

TEST_F(StatusQueueTest, AnUpdateThatIsNoLongerNeededIsNotSent) {
  bool is_true = true;
  EXPECT_THAT(sent(
                  [&](StatusQueue& queue) {
                    queue.put("first", update("/first"));
                    queue.put("old", {.make = [&]() -> std::optional<kube::ApiRequest> {
                                if (!is_true) return std::nullopt;
                                return kube::ApiRequest{.method = "PATCH", .path = "/old"};
                              }});
                    queue.put("last", update("/last"));
                    is_true = false;
                  },
                  "/last"),
              ElementsAre("/first", "/last"));
}

TEST_F(StatusQueueTest, UpdatesAreDiscardedOnceWritingHasEnded) {
  kube::Loop loop;
  kube::ApiClient client(loop, {.server = kNoServer});
  StatusQueue queue(client);
  client.begin_draining();
  queue.put("a", update("/a"));
  queue.put("b", update("/b"));
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST_F(StatusQueueTest, AClosedQueueSendsNothing) {
  EXPECT_THAT(sent(
                  [&](StatusQueue& queue) {
                    queue.put("first", update("/first"));
                    queue.put("second", update("/second"));
                    queue.close();
                    queue.put("third", update("/third"));
                  },
                  "/first"),
              ElementsAre("/first"));
}

}  // namespace
}  // namespace muster::serve
