// Requests with credentials from a program: nothing is sent without credentials, and the program runs as
// rarely as possible.
#include "kube/authorisation.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kube/api_client.hpp"
#include "kube/http_server_for_test.hpp"

namespace muster::kube {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Server = HttpServerForTest;

class AuthorisationTest : public testing::Test {
 protected:
  AuthorisationTest() {
    std::string name = (std::filesystem::temp_directory_path() / "authorisation-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~AuthorisationTest() override { std::filesystem::remove_all(directory_); }

  // A program that prints "token-1" on its first run, "token-2" on its second, and so on. `more` are further
  // shell commands, `members` are further members of the status.
  ExecPlugin plugin(const std::string& more = ":", const std::string& members = "") const {
    ExecPlugin exec{.command = "/bin/sh"};
    exec.arguments = {"-c", "echo x >> " + runs_file() + "; N=$(wc -l < " + runs_file() + "); " + more +
                                "; printf '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"token-%s\"" +
                                members + "}}' $N"};
    return exec;
  }
  std::size_t runs() const {
    std::ifstream file(runs_file());
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  // Starts `count` requests at once, sends each one `rounds` times, and returns the last answers.
  std::vector<HttpResponse> send(const Server& server, ExecPlugin exec, std::size_t count, int rounds = 1) {
    Credentials credentials{.server = server.url()};
    credentials.exec = std::move(exec);
    credentials.allow_http = true;
    return send(std::move(credentials), count, rounds);
  }
  std::vector<HttpResponse> send(Credentials credentials, std::size_t count, int rounds = 1) {
    Loop loop;
    ApiClient client(loop, std::move(credentials));
    client.on_credentials_error = [this](const std::string& text) { troubles_.push_back(text); };
    std::vector<HttpResponse> answers(count);
    open_ = count;
    loop.post([&] {
      for (HttpResponse& answer : answers) spawn(get(&client, &answer, rounds));
    });
    loop.run();
    return answers;
  }

  static std::vector<std::string> authorisations(const Server& server) {
    std::vector<std::string> all;
    for (const Server::Request& request : server.requests()) all.push_back(request.authorization());
    return all;
  }

  std::vector<std::string> troubles_;

 private:
  std::string runs_file() const { return directory_ + "/runs"; }

  Async<void> get(ApiClient* client, HttpResponse* into, int rounds) {
    for (int round = 0; round < rounds; ++round) *into = co_await client->get("/api");
    if (--open_ == 0) client->loop().stop();
  }

  std::string directory_;
  std::size_t open_ = 0;
};

TEST_F(AuthorisationTest, RequestsCarryTheTokenOfTheProgram) {
  Server server([](const Server::Request&) { return Server::Answer{.body = "here"}; });
  const auto answers = send(server, plugin(), 1);
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_EQ(answers[0].body, "here");
  EXPECT_THAT(authorisations(server), ElementsAre("Bearer token-1"));
}

TEST_F(AuthorisationTest, AllRequestsShareOneRunOfTheProgram) {
  Server server([](const Server::Request&) { return Server::Answer{}; });
  const auto answers = send(server, plugin("sleep 0.3"), 20);
  for (const HttpResponse& answer : answers) EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(runs(), 1U);
  EXPECT_THAT(authorisations(server), AllOf(SizeIs(20), Each("Bearer token-1")));
}

TEST_F(AuthorisationTest, ARefusedTokenIsRenewedOnceForAllRequests) {
  Server server([](const Server::Request& request) {
    return Server::Answer{.status = request.authorization() == "Bearer token-1" ? 401 : 200};
  });
  const auto answers = send(server, plugin("sleep 0.1"), 20);
  for (const HttpResponse& answer : answers) EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(runs(), 2U);
}

TEST_F(AuthorisationTest, ATokenThatIsAlwaysRefusedIsRenewedOnce) {
  Server server([](const Server::Request&) { return Server::Answer{.status = 401}; });
  const auto answers = send(server, plugin("N=same"), 10, 2);
  for (const HttpResponse& answer : answers) EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(runs(), 2U) << "once for the token, once because it was refused";
}

TEST_F(AuthorisationTest, ACredentialThatExpiresIsRenewed) {
  Server server([](const Server::Request&) {
    ::usleep(1'200'000);  // even an expired credential is used for one second
    return Server::Answer{};
  });
  const auto answers = send(server, plugin(":", ",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\""), 1, 2);
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_THAT(authorisations(server), ElementsAre("Bearer token-1", "Bearer token-2"));
}

TEST_F(AuthorisationTest, WithoutCredentialsNothingIsSent) {
  Server server([](const Server::Request&) { return Server::Answer{.status = 403}; });
  const auto answers = send(server, plugin("exit 1"), 5);
  for (const HttpResponse& answer : answers) {
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(answer.error, "no credentials: /bin/sh: the credential program failed");
  }
  EXPECT_THAT(server.requests(), IsEmpty());
  EXPECT_EQ(runs(), 1U);
  EXPECT_THAT(troubles_, ElementsAre("/bin/sh: the credential program failed"));
}

TEST_F(AuthorisationTest, WithoutItsTokenFileNothingIsSent) {
  Server server([](const Server::Request&) { return Server::Answer{.status = 403}; });
  Credentials credentials{.server = server.url(), .token_file = "/nowhere/token"};
  credentials.allow_http = true;
  const auto answers = send(std::move(credentials), 2);
  EXPECT_THAT(answers[1].error, AllOf(HasSubstr("no credentials: "), HasSubstr("/nowhere/token")));
  EXPECT_THAT(server.requests(), IsEmpty());
}

TEST_F(AuthorisationTest, WithoutConfiguredCredentialsTheRequestIsAnonymous) {
  Server server([](const Server::Request&) { return Server::Answer{}; });
  Credentials credentials{.server = server.url()};
  credentials.allow_http = true;
  const auto answers = send(std::move(credentials), 1);
  EXPECT_EQ(answers[0].status, 200);
  EXPECT_THAT(authorisations(server), ElementsAre(""));
}

TEST_F(AuthorisationTest, AProgramThatPrintsTooMuchIsKilled) {
  Server server([](const Server::Request&) { return Server::Answer{}; });
  const auto start = Clock::now();
  const auto answers = send(server, plugin("yes"), 1);
  EXPECT_EQ(answers[0].error,
            "no credentials: /bin/sh: the credential program printed more than 1048576 bytes and was killed");
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20)) << "the time limit is 30 s";
}

// ---------------------------------------------------------------- Retry-After

class RetryAfterTest : public testing::Test {
 protected:
  static std::chrono::seconds retry_after(const std::string& value) {
    const Server server([&](const Server::Request&) {
      return Server::Answer{.status = 429, .headers = "Retry-After: " + value + "\r\n"};
    });
    Loop loop;
    HttpRequest request{.url = server.url() + "/", .allow_http = true};
    const TlsIdentity tls;
    return run_alone(loop, loop.send(std::move(request), &tls)).retry_after;
  }
};

TEST_F(RetryAfterTest, IsLimitedToOneMinute) {
  using std::chrono::seconds;
  const std::pair<const char*, seconds> cases[] = {
      {"7", seconds(7)},
      {"60", seconds(60)},
      {"61", seconds(60)},
      {"100000000", seconds(60)},
      {"9223372036854775807", seconds(60)},
      {"99999999999999999999999999", seconds(0)},  // not a number to libcurl; our own backoff applies
      {"0", seconds(0)},
      {"-5", seconds(0)},
      {"-99999999999999999999999999", seconds(0)},
      {"soon", seconds(0)},
      {"", seconds(0)},
      {"Wed, 21 Oct 2015 07:28:00 GMT", seconds(0)},
      {"Wed, 21 Oct 2099 07:28:00 GMT", seconds(60)},
      {"Wed, 99 Foo 99999 99:99:99 GMT", seconds(0)},
  };
  for (const auto& [value, wanted] : cases) EXPECT_EQ(retry_after(value), wanted) << value;
}

}  // namespace
}  // namespace muster::kube
