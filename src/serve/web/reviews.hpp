// Who a token belongs to and what that user may do: questions to the API server and its answers, read with
// their types.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::serve {

struct Identity {
  std::string username, uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

struct TokenReview {
  bool is_authenticated = false;
  Identity user;  // only where it is
};

// Bodies of questions. All text must be valid UTF-8.
std::string token_review(const std::string& token);
std::string path_review(const Identity& user, const std::string& path);
// May the user list the pods of the namespace, "": of all?
std::string pods_review(const Identity& user, const std::string& ns);

// Nothing: the answer is malformed, so that it says neither yes nor no.
std::optional<TokenReview> read_token_review(std::string_view body);
std::optional<bool> read_access_review(std::string_view body);

}  // namespace muster::serve
