// Valid and malformed answers of an API server.
#include "serve/web/reviews.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace muster::serve {
namespace {

std::optional<TokenReview> of_user(const std::string& user) {
  return read_token_review(R"({"status":{"authenticated":true,"user":)" + user + "}}");
}

TEST(Reviews, ParseAUserWithAllMembers) {
  const auto review =
      of_user(R"({"username":"a","uid":"u","groups":["g","h"],"extra":{"k":["v","w"],"empty":null}})");
  ASSERT_TRUE(review && review->is_authenticated);
  EXPECT_EQ(review->user.username, "a");
  EXPECT_EQ(review->user.uid, "u");
  EXPECT_THAT(review->user.groups, testing::ElementsAre("g", "h"));
  EXPECT_THAT(review->user.extra, testing::ElementsAre(testing::Pair("k", testing::ElementsAre("v", "w"))));
  EXPECT_TRUE(of_user(R"({"username":"a","uid":null,"groups":null,"extra":null})"));
}

TEST(Reviews, AnUnknownTokenIsNotMalformed) {
  for (const char* body : {R"({"status":{}})", R"({"status":{"authenticated":false}})",
                           R"({"status":{"error":"expired","user":{}}})"}) {
    const auto review = read_token_review(body);
    ASSERT_TRUE(review) << body;
    EXPECT_FALSE(review->is_authenticated) << body;
  }
}

TEST(Reviews, MalformedAnswersAreRejected) {
  for (const char* user :
       {"null", R"("x")", "[]", "{}", R"({"username":""})", R"({"username":5})",
        R"({"username":"a","uid":7})", R"({"username":"a","groups":"x"})", R"({"username":"a","groups":[1]})",
        R"({"username":"a","groups":[null]})", R"({"username":"a","extra":[]})",
        R"({"username":"a","extra":{"k":"v"}})", "{\"username\":\"\xff\"}"})
    EXPECT_FALSE(of_user(user)) << user;
  for (const char* body : {"", "null", "[]", "5", "{", "{}", R"({"status":null})", R"({"status":"x"})",
                           R"({"status":{"authenticated":"yes"}})", R"({"status":{"authenticated":true}})"})
    EXPECT_FALSE(read_token_review(body)) << body;
  const std::string deep = R"({"status":)" + std::string(300'000, '[');
  EXPECT_FALSE(read_token_review(deep));
}

TEST(Reviews, OnlyTrueAllowsAccess) {
  EXPECT_EQ(read_access_review(R"({"status":{"allowed":true}})"), true);
  EXPECT_EQ(read_access_review(R"({"status":{"allowed":false,"denied":true}})"), false);
  for (const char* body :
       {"", "[]", R"({"status":{}})", R"({"status":{"allowed":"true"}})", R"({"status":[true]})"})
    EXPECT_EQ(read_access_review(body), std::nullopt) << body;
}

TEST(Reviews, ContainTheUserAsTheApiServerNamedIt) {
  const Identity user{.username = "a", .uid = "u", .groups = {"g"}, .extra = {{"k", {"v"}}}};
  const auto asked = nlohmann::json::parse(pods_review(user, "team"));
  EXPECT_EQ(asked["spec"]["user"], "a");
  EXPECT_EQ(asked["spec"]["groups"], nlohmann::json::array({"g"}));
  EXPECT_EQ(asked["spec"]["extra"]["k"], nlohmann::json::array({"v"}));
  EXPECT_EQ(asked["spec"]["resourceAttributes"]["namespace"], "team");
  EXPECT_EQ(nlohmann::json::parse(path_review(user, "/x"))["spec"]["nonResourceAttributes"]["path"], "/x");
  EXPECT_EQ(nlohmann::json::parse(token_review("t"))["spec"]["token"], "t");
}

}  // namespace
}  // namespace muster::serve
