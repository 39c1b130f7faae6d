// The order in which requests are sent.
#include "kube/api_client.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

// Accepts connections and never answers: every request times out.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), size);
    ::listen(socket_, 16);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "https://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }
  ~SilentServer() { ::close(socket_); }
  const std::string& url() const { return url_; }

 private:
  int socket_;
  std::string url_;
};

class ApiClientTest : public testing::Test {
 protected:
  struct Sent {
    const char* path;
    Lane lane;
    milliseconds time;
  };

  // Starts all requests at once in the given order and returns their paths in the order in which they ended.
  std::vector<std::string> order(std::initializer_list<Sent> requests, ClientLimits limits = {}) {
    Loop loop;
    ApiClient client(loop, {.server = server_.url()}, limits);
    std::vector<std::string> ended;
    client.on_answer = [&](const ApiRequest& request, int, std::chrono::nanoseconds) {
      ended.push_back(request.path);
      if (ended.size() == requests.size()) loop.stop();
    };
    loop.post([&] {
      for (const Sent& r : requests) spawn(send(&client, r));
    });
    loop.run();
    return ended;
  }

 private:
  static Async<void> send(ApiClient* client, Sent sent) {
    ApiRequest request{.method = "POST", .path = sent.path, .lane = sent.lane, .timeout = sent.time};
    co_await client->send(std::move(request));
  }

  SilentServer server_;
};

TEST_F(ApiClientTest, FollowUpsYieldToDecisions) {
  EXPECT_THAT(
      order({{"/bind", Lane::kDecision, milliseconds(200)}, {"/event", Lane::kBackground, milliseconds(20)}}),
      ElementsAre("/bind", "/event"));
  EXPECT_THAT(
      order({{"/evict", Lane::kEviction, milliseconds(200)}, {"/group", Lane::kFollowUp, milliseconds(20)}}),
      ElementsAre("/evict", "/group"));
  EXPECT_THAT(
      order({{"/bind", Lane::kDecision, milliseconds(200)}, {"/list", Lane::kOrdinary, milliseconds(20)}}),
      ElementsAre("/list", "/bind"));
}

TEST_F(ApiClientTest, FollowUpsYieldForALimitedTime) {
  EXPECT_THAT(order({{"/bind", Lane::kDecision, milliseconds(50)},
                     {"/bind-2", Lane::kDecision, milliseconds(1500)},
                     {"/event", Lane::kBackground, milliseconds(20)}},
                    {.patience = milliseconds(1)}),
              ElementsAre("/bind", "/event", "/bind-2"));
}

TEST_F(ApiClientTest, AFullLaneDoesNotBlockOthers) {
  EXPECT_THAT(order({{"/evict", Lane::kEviction, milliseconds(200)},
                     {"/evict-2", Lane::kEviction, milliseconds(20)},
                     {"/bind", Lane::kDecision, milliseconds(50)}},
                    {.per_lane = {1, 1, 1, 1, 1, 1}}),
              ElementsAre("/bind", "/evict", "/evict-2"));
}

}  // namespace
}  // namespace muster::kube
