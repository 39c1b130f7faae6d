// Builds and parses reviews. Absent and null members are empty; a member of another type makes the whole
// answer malformed.
#include "serve/web/reviews.hpp"

#include <nlohmann/json.hpp>

#include "document/json.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;
using Texts = std::vector<std::string>;

std::string text_of(const json& body) { return body.dump(-1, ' ', false, json::error_handler_t::replace); }

std::string access_review(const Identity& user, const char* attributes, json asked) {
  json spec{{"user", user.username}, {"uid", user.uid}, {"groups", user.groups}, {"extra", user.extra}};
  spec[attributes] = std::move(asked);
  return text_of({{"apiVersion", "authorization.k8s.io/v1"},
                  {"kind", "SubjectAccessReview"},
                  {"spec", std::move(spec)}});
}

// ---------------------------------------------------------------- reading

// Each overload reads a value into `to`. Returns false if the value has another type.
bool read(Json value, bool& to) { return value.get(to) == simdjson::SUCCESS; }

bool read(Json value, std::string& to) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return false;
  to = text;
  return true;
}

bool read(Json value, Texts& to) {
  simdjson::dom::array items;
  if (value.get(items) != simdjson::SUCCESS) return false;
  for (const Json item : items)
    if (!read(item, to.emplace_back())) return false;
  return true;
}

bool read(Json value, std::map<std::string, Texts>& to) {
  simdjson::dom::object members;
  if (value.get(members) != simdjson::SUCCESS) return false;
  for (const auto& [key, texts] : members)
    if (!texts.is_null() && !read(texts, to[std::string(key)])) return false;
  return true;
}

// Also returns true if the member is absent.
template <class Value>
bool read_member(Json object, std::string_view key, Value& to) {
  Json value;
  if (object.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return true;
  return read(value, to);
}

// Calls `use` with the member `status` of the body. Returns nullopt if that is absent or not an object.
template <class Use>
auto with_status(std::string_view body, Use use) -> decltype(use(Json())) {
  simdjson::dom::parser parser;
  Json root, status;
  if (parser.parse(body.data(), body.size()).get(root) != simdjson::SUCCESS || !root.is_object() ||
      root.at_key("status").get(status) != simdjson::SUCCESS || !status.is_object())
    return std::nullopt;
  return use(status);
}

std::optional<Identity> read_identity(Json user) {
  Identity identity;
  const bool is_good = user.is_object() && read_member(user, "username", identity.username) &&
                       read_member(user, "uid", identity.uid) &&
                       read_member(user, "groups", identity.groups) &&
                       read_member(user, "extra", identity.extra);
  return is_good && !identity.username.empty() ? std::optional(std::move(identity)) : std::nullopt;
}

}  // namespace

std::string token_review(const std::string& token) {
  return text_of(
      {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenReview"}, {"spec", {{"token", token}}}});
}

std::string path_review(const Identity& user, const std::string& path) {
  return access_review(user, "nonResourceAttributes", {{"path", path}, {"verb", "get"}});
}

std::string pods_review(const Identity& user, const std::string& ns) {
  return access_review(user, "resourceAttributes",
                       {{"verb", "list"}, {"version", "v1"}, {"resource", "pods"}, {"namespace", ns}});
}

std::optional<TokenReview> read_token_review(std::string_view body) {
  return with_status(body, [](Json status) -> std::optional<TokenReview> {
    TokenReview review;
    if (!read_member(status, "authenticated", review.is_authenticated)) return std::nullopt;
    if (!review.is_authenticated) return review;
    Json user;
    if (status.at_key("user").get(user) != simdjson::SUCCESS) return std::nullopt;
    auto identity = read_identity(user);
    if (!identity) return std::nullopt;
    review.user = *std::move(identity);
    return review;
  });
}

std::optional<bool> read_access_review(std::string_view body) {
  return with_status(body, [](Json status) -> std::optional<bool> {
    bool is_allowed = false;
    const bool is_read = status.at_key("allowed").get(is_allowed) == simdjson::SUCCESS;
    return is_read ? std::optional(is_allowed) : std::nullopt;
  });
}

}  // namespace muster::serve
