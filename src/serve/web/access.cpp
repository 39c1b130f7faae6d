// A TokenReview, then a SubjectAccessReview, sent by the loop's thread while the reader waits.
#include "serve/web/access.hpp"

#include <nlohmann/json.hpp>

#include "serve/web/loop_answer.hpp"

namespace muster::serve {
namespace {

using nlohmann::json;

constexpr auto kHolds = std::chrono::seconds(60), kForReviews = std::chrono::seconds(30);
constexpr std::size_t kMostKnown = 4096;

kube::ApiRequest review(const char* path, const json& body) {
  return {.method = "POST", .path = path, .body = body.dump()};
}

kube::ApiRequest who_is(const std::string& token) {
  return review(
      "/apis/authentication.k8s.io/v1/tokenreviews",
      {{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenReview"}, {"spec", {{"token", token}}}});
}

json subject_of(const json& user) {
  json spec{{"user", user.value("username", "")}, {"uid", user.value("uid", "")}};
  if (user.contains("groups")) spec["groups"] = user["groups"];
  if (user.contains("extra")) spec["extra"] = user["extra"];
  return spec;
}

kube::ApiRequest may_subject(json spec) {
  return review("/apis/authorization.k8s.io/v1/subjectaccessreviews",
                {{"apiVersion", "authorization.k8s.io/v1"},
                 {"kind", "SubjectAccessReview"},
                 {"spec", std::move(spec)}});
}

// Nothing: nobody says.
std::optional<json> status_in(const kube::HttpResponse& answer) {
  if (!answer.ok()) return std::nullopt;
  const json body = json::parse(answer.body, nullptr, false);
  if (!body.is_object() || !body.contains("status")) return std::nullopt;
  return body["status"];
}

}  // namespace

kube::Async<MayRead> Access::ask(Question question) {
  const kube::HttpResponse who = co_await client_.send(who_is(question.token));
  const auto identity = status_in(who);
  if (!identity) co_return MayRead::kNobodySays;
  if (!identity->value("authenticated", false)) co_return MayRead::kNotKnown;
  json path = subject_of((*identity)["user"]), pods = path;
  path["nonResourceAttributes"] = {{"path", question.path}, {"verb", "get"}};
  pods["resourceAttributes"] = {
      {"verb", "list"}, {"version", "v1"}, {"resource", "pods"}, {"namespace", question.ns}};
  const kube::HttpResponse path_answer = co_await client_.send(may_subject(std::move(path)));
  const auto may_get = status_in(path_answer);
  const kube::HttpResponse pods_answer = co_await client_.send(may_subject(std::move(pods)));
  const auto may_list = status_in(pods_answer);
  if (!may_get || !may_list) co_return MayRead::kNobodySays;
  const bool may = may_get->value("allowed", false) && may_list->value("allowed", false);
  co_return may ? MayRead::kYes : MayRead::kNo;
}

kube::Async<void> Access::keep(std::shared_ptr<std::promise<MayRead>> promise, Question question) {
  const MayRead answer = co_await ask(std::move(question));
  promise->set_value(answer);
}

MayRead Access::may_read(const std::string& token, const std::string& path, const std::string& ns) {
  if (token.empty()) return MayRead::kNotKnown;
  const Question question{token, path, ns};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(question);
        known != known_.end() && kube::Clock::now() < known->second.until)
      return known->second.answer;
  }
  const auto told = answer_of_loop<MayRead>(client_.loop(), is_closing_, kForReviews,
                                            [this, question](std::shared_ptr<std::promise<MayRead>> promise) {
                                              kube::spawn(keep(std::move(promise), question));
                                            });
  const MayRead answer = told.value_or(MayRead::kNobodySays);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  if (answer != MayRead::kNobodySays)
    known_.insert_or_assign(question, Known{answer, kube::Clock::now() + kHolds});
  return answer;
}

}  // namespace muster::serve
