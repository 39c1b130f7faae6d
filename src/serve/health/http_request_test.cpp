// Requests that are refused, and how others are parsed.
#include "serve/health/http_request.hpp"

#include <gmock/gmock.h>

namespace muster::serve {
namespace {

HttpRequest good(std::string_view head) {
  const auto read = read_request(head);
  EXPECT_TRUE(std::holds_alternative<HttpRequest>(read)) << head;
  return std::holds_alternative<HttpRequest>(read) ? std::get<HttpRequest>(read) : HttpRequest{};
}

int refusal_of_path(const std::string& path) {
  const auto read = read_request("GET " + path + " HTTP/1.1\r\n\r\n");
  return std::holds_alternative<HttpRefusal>(read) ? std::get<HttpRefusal>(read).status : 0;
}

TEST(ReadRequest, DecodesThePathWithoutTheQuery) {
  const HttpRequest request = good("GET /a%2Fb/%c3%a4?x=%ff HTTP/1.1\r\nauthorization:  Bearer t \r\n\r\n");
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/a/b/\xc3\xa4");
  EXPECT_EQ(request.authorization, "Bearer t");
}

TEST(ReadRequest, TheFirstHeaderCounts) {
  EXPECT_EQ(good("GET / HTTP/1.1\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n").authorization, "a");
  EXPECT_EQ(good("GET / HTTP/1.1\r\nX-Authorization: a\r\n\r\n").authorization, "");
}

TEST(ReadRequest, RefusesPathsThatAreNotPlainText) {
  for (const char* path : {"/%ff", "/%C0%80", "/%ed%a0%80", "/%00", "/%0a", "/%7f", "/%c2%9b", "/\xff",
                           "/\x01", "/%", "/%4", "/%zz", "/%+1", "x", "%2", "http://host/"})
    EXPECT_EQ(refusal_of_path(path), 400) << path;
  for (const char* path : {"/", "/%2e%2E", "/%C2%A0", "/%f0%9f%9a%80", "/\xc3\xa4", "/a?%zz"})
    EXPECT_EQ(refusal_of_path(path), 0) << path;
}

TEST(ReadRequest, RefusesInvalidHttp) {
  for (const char* head :
       {"", "\r\n\r\n", "hello\r\n\r\n", "GET /\r\n\r\n", "GET  HTTP/1.1\r\n\r\n", "GET / FTP\r\n\r\n"})
    EXPECT_TRUE(std::holds_alternative<HttpRefusal>(read_request(head))) << head;
}

TEST(IsVisibleAscii, RefusesOtherCharacters) {
  EXPECT_TRUE(is_visible_ascii("abc.DEF-_~!"));
  for (const std::string& text :
       {std::string(), std::string("a b"), std::string("\xff"), std::string("a\0b", 3), std::string("a\x7f"),
        std::string("\xc3\xa4"), std::string("\t")})
    EXPECT_FALSE(is_visible_ascii(text)) << text;
}

}  // namespace
}  // namespace muster::serve
