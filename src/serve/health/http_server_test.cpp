// Probes are answered no matter what other clients do.
#include "serve/health/http_server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "serve/health/metrics.hpp"
#include "serve/health/vitals.hpp"

namespace muster::serve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A client that may be slow; gives up after two seconds.
class Client {
 public:
  explicit Client(int port, const char* ipv6 = nullptr)
      : socket_(::socket(ipv6 != nullptr ? AF_INET6 : AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 2, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    sockaddr_in v4{.sin_family = AF_INET,
                   .sin_port = htons(static_cast<std::uint16_t>(port)),
                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    sockaddr_in6 v6{.sin6_family = AF_INET6, .sin6_port = htons(static_cast<std::uint16_t>(port))};
    if (ipv6 != nullptr) ::inet_pton(AF_INET6, ipv6, &v6.sin6_addr);
    is_connected_ = ipv6 != nullptr ? ::connect(socket_, reinterpret_cast<sockaddr*>(&v6), sizeof(v6)) == 0
                                    : ::connect(socket_, reinterpret_cast<sockaddr*>(&v4), sizeof(v4)) == 0;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool is_connected() const { return is_connected_; }
  // Returns false if the server takes no more.
  bool send(std::string_view text) {
    return ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // Reads until the server closes the connection, for at most two seconds.
  std::string answer() {
    std::string text;
    char buffer[4096];
    for (ssize_t n = 0; (n = ::recv(socket_, buffer, sizeof(buffer), 0)) > 0;)
      text.append(buffer, static_cast<std::size_t>(n));
    return text;
  }
  std::string get(const std::string& path) {
    send("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    return answer();
  }

 private:
  int socket_;
  bool is_connected_ = false;
};

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() { vitals.last_tick = Vitals::Clock::now(); }
  int start(const std::string& address = "127.0.0.1:0") {
    const auto port = server.start(address);
    EXPECT_TRUE(port) << port.error().text();
    return *port;
  }
  Metrics metrics{"kai", ""};
  Vitals vitals{std::chrono::seconds(1)};
  HttpServer server{metrics, vitals};
};

TEST_F(HttpServerTest, ShowsMetricsAndProbes) {
  const int port = start();
  EXPECT_THAT(Client(port).get("/healthz"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(Client(port).get("/healthz?verbose"), HasSubstr("\r\n\r\nok\n"));
  const std::string not_ready = Client(port).get("/readyz");
  EXPECT_THAT(not_ready, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(not_ready, HasSubstr("not all kinds have been listed yet"));
  EXPECT_THAT(Client(port).get("/metrics"), HasSubstr("kai_muster_leader"));
  EXPECT_THAT(Client(port).get("/elsewhere"), StartsWith("HTTP/1.1 404 "));
  Client head(port);
  head.send("HEAD /healthz HTTP/1.1\r\n\r\n");
  EXPECT_THAT(head.answer(),
              testing::AllOf(HasSubstr("Content-Length: 3\r\n"), testing::EndsWith("\r\n\r\n")));
}

TEST_F(HttpServerTest, SlowClientsDoNotDelayOthers) {
  const int port = start();
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<Client>(port));
    slow.back()->send("GET /metrics HTTP/1.1\r\nHost:");
  }
  const auto begin = Vitals::Clock::now();
  EXPECT_THAT(Client(port).get("/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(Vitals::Clock::now() - begin, std::chrono::seconds(1));
}

// Counts the calls of text().
class CountedText final : public TextSource {
 public:
  explicit CountedText(std::size_t size) : size_(size) {}
  std::string text() const override {
    ++made_;
    if (size_ == 0) throw std::runtime_error("it has no text");
    return std::string(size_, 'x');
  }
  int made() const { return made_; }

 private:
  const std::size_t size_;
  mutable std::atomic<int> made_ = 0;
};

class HttpServerWithPage : public HttpServerTest {
 protected:
  int start_with(const TextSource& page) {
    server_.emplace(metrics, vitals, &page, [this](const std::string& text) { trouble_ = text; });
    const auto port = server_->start("127.0.0.1:0");
    EXPECT_TRUE(port) << port.error().text();
    return *port;
  }
  std::string trouble_;
  std::optional<HttpServer> server_;
};

TEST_F(HttpServerWithPage, APageIsMadeOnceASecondAndShared) {
  const CountedText page(5'000'000);
  const int port = start_with(page);
  const auto begin = Vitals::Clock::now();
  for (int i = 0; i < 50; ++i) EXPECT_GT(Client(port).get("/shadow").size(), 5'000'000U);
  EXPECT_LE(page.made(), 1 + (Vitals::Clock::now() - begin) / std::chrono::seconds(1));
}

TEST_F(HttpServerWithPage, StalledReadersDoNotDelayProbes) {
  const CountedText page(20'000'000);
  const int port = start_with(page);
  std::vector<std::unique_ptr<Client>> readers;
  for (int i = 0; i < 300; ++i) {
    readers.push_back(std::make_unique<Client>(port));
    readers.back()->send("GET /shadow HTTP/1.1\r\n\r\n");
  }
  const auto begin = Vitals::Clock::now();
  EXPECT_THAT(Client(port).get("/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_LT(Vitals::Clock::now() - begin, std::chrono::seconds(1));
  std::this_thread::sleep_for(
      std::chrono::milliseconds(1'100));  // then the first ones may be closed for others
  EXPECT_GT(Client(port).get("/shadow").size(), 20'000'000U);
}

TEST_F(HttpServerWithPage, AFailingPageAffectsNoOther) {
  const CountedText page(0);
  const int port = start_with(page);
  EXPECT_THAT(Client(port).get("/shadow"), StartsWith("HTTP/1.1 500 "));
  EXPECT_EQ(trouble_, "http: /shadow failed: it has no text");
  EXPECT_THAT(Client(port).get("/healthz"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, OpenConnectionsDoNotDelayTheEnd) {
  auto other = std::make_unique<HttpServer>(metrics, vitals);
  const auto port = other->start("127.0.0.1:0");
  ASSERT_TRUE(port);
  Client silent(*port), slow(*port);
  slow.send("GET /met");
  const auto begin = Vitals::Clock::now();
  other.reset();
  EXPECT_LT(Vitals::Clock::now() - begin, std::chrono::seconds(1));
  EXPECT_EQ(silent.answer(), "");
}

TEST_F(HttpServerTest, PathsThatAreNotTextAreRefused) {
  const int port = start();
  EXPECT_THAT(Client(port).get("/%ff"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Client(port).get("/metrics%00"), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, ABodyIsRefusedBeforeItArrives) {
  const int port = start();
  Client client(port);
  client.send("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 500000000\r\n\r\n");
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 405 "));
  Client eager(port);
  eager.send("POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 500000000\r\n\r\n");
  const std::string part(1 << 20, 'x');
  int taken = 0;
  while (taken < 64 && eager.send(part)) ++taken;
  EXPECT_LT(taken, 64) << "the server took megabytes of a refused body";
}

TEST_F(HttpServerTest, AnEndlessHeadIsRefused) {
  Client client(start());
  client.send("GET /healthz HTTP/1.1\r\nX: " + std::string(20'000, 'x'));
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, InvalidHttpIsRefused) {
  Client client(start());
  client.send("hello\r\n\r\n");
  EXPECT_THAT(client.answer(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(HttpServerTest, ListensOnIpv6AndIpv4) {
  if (!Client(start("[::1]:0"), "::1").is_connected()) GTEST_SKIP() << "there is no IPv6 here";
  HttpServer everywhere{metrics, vitals};
  const auto port = everywhere.start(":0");
  ASSERT_TRUE(port);
  EXPECT_THAT(Client(*port, "::1").get("/healthz"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Client(*port).get("/healthz"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, RejectsAnInvalidAddress) {
  const auto refused = server.start("8080");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().text(), "\"8080\" is not an address (e.g. :8080, [::1]:8080)");
}

}  // namespace
}  // namespace muster::serve
