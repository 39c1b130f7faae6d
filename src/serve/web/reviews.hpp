// Reviews by the API server: which user a token belongs to, and what that user may do. Builds the requests
// and parses the answers strictly.
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
  Identity user;  // only if authenticated
};

// Return the bodies of requests. REQUIRES: all text is valid UTF-8.
std::string token_review(const std::string& token);
std::string path_review(const Identity& user, const std::string& path);
// Asks whether the user may list the pods of the namespace; "": of all namespaces.
std::string pods_review(const Identity& user, const std::string& ns);

// Return nullopt if the answer is malformed.
std::optional<TokenReview> read_token_review(std::string_view body);
std::optional<bool> read_access_review(std::string_view body);

}  // namespace muster::serve
