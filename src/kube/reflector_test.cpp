// Known objects survive when the server refuses a request, forgets versions or sends unusable objects.
#include "kube/reflector.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "kube/http_server_for_test.hpp"
#include "kube/json.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Server = HttpServerForTest;

std::string claim(const std::string& name, int version) {
  return fmt::format(
      R"({{"kind":"ResourceClaim","metadata":{{"namespace":"ns","name":"{}","resourceVersion":"{}"}}}})",
      name, version);
}

Server::Answer list_of(const std::string& items, int version) {
  return {.body = fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"items":[{}]}})", version, items)};
}

bool is_watch(const Server::Request& request) { return request.path.find("watch=1") != std::string::npos; }

// Records names, and throws for those in `refused`.
class Names final : public ReflectorListener {
 public:
  void changed(Json object) override {
    const auto metadata = part_at(object, "metadata");
    const std::string name(text_at(*metadata, "name"));
    if (refused.contains(name)) throw std::runtime_error("does not fit");
    known.insert(name + "@" + std::string(text_at(*metadata, "resourceVersion")));
  }
  void gone(const std::string&, const std::string& name) override {
    if (failing_deletions-- > 0) throw std::runtime_error("cannot go");
    std::erase_if(known, [&](const std::string& one) { return one.starts_with(name + "@"); });
    went.push_back(name);
  }
  void listed() override { ++lists; }
  void troubled(const std::string& text) override { troubles.push_back(text); }

  std::set<std::string> known, refused;
  std::vector<std::string> went, troubles;
  int lists = 0, failing_deletions = 0;
};

class ReflectorTest : public testing::Test {
 protected:
  // Runs a reflector of ResourceClaims until `is_done`, polled every few milliseconds, returns true; fails
  // after 20 s.
  void run(const Server& server, const std::function<bool(Reflector&)>& is_done,
           ReflectorOptions options = {}) {
    options.resource = {"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims"};
    options.wait_for_absent = milliseconds(50);
    Loop loop;
    Credentials credentials{.server = server.url()};
    credentials.allow_http = true;
    ApiClient client(loop, std::move(credentials));
    Reflector reflector(client, std::move(options), names_);
    loop.post([&] {
      spawn(reflector.run());
      spawn(stop_when(&loop, &reflector, is_done));
    });
    loop.run();
    size_ = reflector.size();
  }

  Names names_;
  std::size_t size_ = 0;

 private:
  static Async<void> stop_when(Loop* loop, Reflector* reflector, std::function<bool(Reflector&)> is_done) {
    const auto end = Clock::now() + std::chrono::seconds(20);
    while (!is_done(*reflector) && Clock::now() < end) co_await loop->sleep(milliseconds(5));
    EXPECT_LT(Clock::now(), end) << "the expected state was not reached in time";
    loop->stop();
  }
};

TEST_F(ReflectorTest, ARefusedKindKeepsItsKnownObjects) {
  std::atomic<int> lists = 0, watches = 0;
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (is_watch(request)) return ++watches, Server::Answer{.status = 403};
    const int number = ++lists;
    if (number > 1 && number < 5) return {.status = 403, .body = R"({"message":"claims are forbidden"})"};
    return list_of(claim("a", 1), number);
  });
  bool was_absent = false;
  run(server,
      [&](const Reflector& reflector) {
        was_absent |= reflector.is_absent();
        return lists >= 6;
      },
      {.is_optional = true});
  EXPECT_FALSE(was_absent);
  EXPECT_THAT(names_.went, IsEmpty());
  EXPECT_EQ(size_, 1U);
  EXPECT_THAT(
      names_.troubles,
      Contains("cannot list resourceclaims: 403 claims are forbidden; the objects known so far are kept; "
               "muster keeps retrying")
          .Times(1));
}

TEST_F(ReflectorTest, ARefusedKindThatWasNeverListedIsEmptyAndRetried) {
  std::atomic<int> lists = 0;
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (is_watch(request)) return {.status = 403};
    return ++lists < 4 ? Server::Answer{.status = 403} : list_of(claim("a", 1), 5);
  });
  bool was_absent = false;
  run(server,
      [&](const Reflector& reflector) {
        was_absent |= reflector.is_absent() && reflector.is_synced();
        return reflector.size() == 1;
      },
      {.is_optional = true});
  EXPECT_TRUE(was_absent);
  EXPECT_THAT(
      names_.troubles,
      Contains(
          "cannot list resourceclaims: 403 ; until access is granted, there are none; muster keeps retrying")
          .Times(1));
}

TEST_F(ReflectorTest, AKindThatIsNoLongerServedHasNoObjects) {
  std::atomic<int> lists = 0;
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (is_watch(request)) return {.status = 404};
    return ++lists == 1 ? list_of(claim("a", 1), 5) : Server::Answer{.status = 404};
  });
  run(server, [](const Reflector& reflector) { return reflector.is_absent(); }, {.is_optional = true});
  EXPECT_THAT(names_.went, ElementsAre("a"));
}

TEST_F(ReflectorTest, StopsWaitingForAListThatIsRefusedForLong) {
  std::atomic<int> lists = 0;
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (is_watch(request)) return ::usleep(50'000), Server::Answer{};
    return ++lists == 1 ? list_of(claim("a", 1), 5) : Server::Answer{.status = 403};
  });
  bool was_refreshed = false, was_unsynced = false;
  run(server,
      [&](Reflector& reflector) {
        if (!was_refreshed && reflector.is_synced()) was_refreshed = true, reflector.refresh();
        was_unsynced |= was_refreshed && !reflector.is_synced();
        return was_unsynced && reflector.is_synced();
      },
      {.is_optional = true, .patience_with_refusals = milliseconds(200)});
  EXPECT_EQ(size_, 1U);
}

TEST_F(ReflectorTest, AFailingObjectDoesNotAffectOthers) {
  names_.refused = {"bad"};
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (is_watch(request)) return ::usleep(20'000), Server::Answer{};
    return list_of(claim("a", 1) + "," + claim("bad", 2) + "," + claim("c", 3), 5);
  });
  run(server, [&](const Reflector& reflector) { return reflector.is_synced(); });
  EXPECT_THAT(names_.known, ElementsAre("a@1", "c@3"));
  EXPECT_THAT(
      names_.troubles,
      Contains("ResourceClaim ns/bad: cannot be processed; its previous state is kept: does not fit"));
}

TEST_F(ReflectorTest, AFailingEventCausesAList) {
  names_.refused = {"bad"};
  std::atomic<int> lists = 0;
  const auto event = [](const std::string& object) {
    return R"({"type":"MODIFIED","object":)" + object + "}\n";
  };
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (!is_watch(request)) return ++lists, list_of(claim("a", 1) + "," + claim("bad", 2), 5);
    return {.body = event(claim("a", 6)) + event(claim("bad", 7)) + event(claim("a", 8))};
  });
  run(server, [&](const Reflector&) { return lists >= 2 && names_.known.contains("a@8"); });
  EXPECT_THAT(names_.known, ElementsAre("a@1", "a@6", "a@8"));
  EXPECT_LT(lists, 5) << "an object that always fails must not cause endless lists";
}

TEST_F(ReflectorTest, AFailedDeletionIsReportedAgainWithTheNextList) {
  names_.failing_deletions = 1;
  std::atomic<int> lists = 0;
  const Server server([&](const Server::Request& request) -> Server::Answer {
    if (!is_watch(request)) return list_of(++lists == 1 ? claim("bad", 1) : std::string(), 5 + lists);
    if (lists > 1) return ::usleep(20'000), Server::Answer{};
    return {.body = R"({"type":"DELETED","object":)" + claim("bad", 6) + "}\n"};
  });
  run(server, [&](const Reflector&) { return !names_.went.empty(); });
  EXPECT_THAT(names_.went, ElementsAre("bad"));
  EXPECT_THAT(names_.troubles,
              Contains("ResourceClaim ns/bad: cannot be processed; its previous state is kept: cannot go"));
}

}  // namespace
}  // namespace muster::kube
