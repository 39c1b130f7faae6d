// Clients of the HTTP API that are slow, many, or send malformed requests.
#include "serve/web/web_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "serve/health/listening_socket.hpp"

namespace muster::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;
using testing::StartsWith;

// Gives up after ten seconds.
class Client {
 public:
  explicit Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    const sockaddr_in at{.sin_family = AF_INET,
                         .sin_port = htons(static_cast<std::uint16_t>(port)),
                         .sin_addr = {htonl(INADDR_LOOPBACK)}};
    EXPECT_EQ(::connect(socket_.descriptor(), reinterpret_cast<const sockaddr*>(&at), sizeof(at)), 0);
  }
  void send(std::string_view text) const {
    ::send(socket_.descriptor(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  std::string answer() const {
    std::string text;
    char buffer[65536];
    for (ssize_t n = 0; (n = ::recv(socket_.descriptor(), buffer, sizeof(buffer), 0)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }
  std::string get(const std::string& path, const std::string& token = "t") const {
    send("GET " + path + " HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\n\r\n");
    return answer();
  }

 private:
  Socket socket_;
};

WebAnswer echo(const WebRequest& request) {
  if (request.path == "/throws") throw std::runtime_error("it was asked to");
  if (request.path == "/large") return {.body = std::string(50'000'000, 'x')};
  return {.body = request.path + " " + request.token};
}

class WebServerTest : public testing::Test {
 protected:
  int start(WebServer::Handler handler = echo) {
    server_.emplace(std::move(handler), [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      troubles_.push_back(text);
    });
    const auto port = server_->start({.address = "127.0.0.1:0"});
    EXPECT_TRUE(port) << port.error().text();
    return *port;
  }
  std::mutex mutex_;
  std::vector<std::string> troubles_;
  std::optional<WebServer> server_;
};

TEST_F(WebServerTest, TheHandlerSeesOnlyPlainText) {
  std::atomic<int> asked = 0;
  const int port = start([&](const WebRequest& request) {
    ++asked;
    return echo(request);
  });
  EXPECT_THAT(Client(port).get("/%ff"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Client(port).get("/%0a"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Client(port).get("/", "\xff"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(Client(port).get("/", "a b"), StartsWith("HTTP/1.1 401 "));
  EXPECT_EQ(asked, 0);
  EXPECT_THAT(Client(port).get("/a%20b?x"), HasSubstr("\r\n\r\n/a b t"));
  EXPECT_THAT(Client(port).get("/c", ""), HasSubstr("\r\n\r\n/c ")) << "it has no token";
}

TEST_F(WebServerTest, AFailingRequestAffectsNoOther) {
  const int port = start();
  EXPECT_THAT(Client(port).get("/throws"), StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(Client(port).get("/"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(troubles_, testing::ElementsAre("web: a request failed: it was asked to"));
}

TEST_F(WebServerTest, TheOldestWithoutARequestIsClosed) {
  const int port = start();
  std::vector<std::unique_ptr<Client>> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(std::make_unique<Client>(port));
  EXPECT_THAT(Client(port).get("/"), StartsWith("HTTP/1.1 200 "));
  EXPECT_EQ(silent.front()->answer(), "") << "it was not closed";
  EXPECT_THAT(silent.back()->get("/"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(WebServerTest, IdleClientsDoNotDelayTheEnd) {
  const int port = start();
  const Client silent(port), slow(port), reads_nothing(port);
  slow.send("GET /");
  reads_nothing.send("GET /large HTTP/1.1\r\n\r\n");
  std::this_thread::sleep_for(milliseconds(200));
  const auto begin = Clock::now();
  EXPECT_TRUE(server_->stop(seconds(5)));
  EXPECT_LT(Clock::now() - begin, seconds(1));
}

TEST_F(WebServerTest, StopReportsABusyHandler) {
  std::atomic<bool> is_asked = false, goes_on = false;
  const int port = start([&](const WebRequest&) {
    is_asked = true;
    while (!goes_on) std::this_thread::sleep_for(milliseconds(1));
    return WebAnswer{};
  });
  const Client client(port);
  client.send("GET / HTTP/1.1\r\n\r\n");
  while (!is_asked) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_FALSE(server_->stop(milliseconds(50)));
  goes_on = true;
  EXPECT_TRUE(server_->stop(seconds(5)));
}

TEST(IsLoopback, AcceptsOnlyLoopbackAddresses) {
  for (const char* address : {"127.0.0.1:80", "127.8.9.10:0", "[::1]:8081", "localhost:1"})
    EXPECT_TRUE(is_loopback(address)) << address;
  for (const char* address :
       {"127.evil.example:80", "127.0.0.1.evil.example:80", "localhost.evil.example:80", "127.1:80", ":8081",
        "0.0.0.0:80", "[::]:80", "128.0.0.1:80", "", "example:127.0.0.1"})
    EXPECT_FALSE(is_loopback(address)) << address;
}

}  // namespace
}  // namespace muster::serve
