// Sends a TokenReview and then two SubjectAccessReviews on the loop's thread while the client waits.
#include "serve/web/access.hpp"

#include "serve/web/loop_answer.hpp"
#include "serve/web/reviews.hpp"

namespace muster::serve {
namespace {

constexpr auto kAnswerLifetime = std::chrono::seconds(60), kReviewTimeout = std::chrono::seconds(30);
constexpr std::size_t kMostKnown = 4096;

kube::ApiRequest review(const char* path, std::string body) {
  return {.method = "POST", .path = path, .body = std::move(body)};
}

kube::ApiRequest token_question(const std::string& token) {
  return review("/apis/authentication.k8s.io/v1/tokenreviews", token_review(token));
}

kube::ApiRequest access_question(std::string body) {
  return review("/apis/authorization.k8s.io/v1/subjectaccessreviews", std::move(body));
}

std::optional<bool> allowed_by(const kube::HttpResponse& answer) {
  return answer.ok() ? read_access_review(answer.body) : std::nullopt;
}

}  // namespace

kube::Async<MayRead> Access::ask(Question question) {
  try {
    kube::ApiRequest who_asks = token_question(question.token);
    const kube::HttpResponse who = co_await upstream_.send(std::move(who_asks));
    const auto token = who.ok() ? read_token_review(who.body) : std::nullopt;
    if (!token) co_return MayRead::kUnknown;
    if (!token->is_authenticated) co_return MayRead::kUnauthenticated;
    kube::ApiRequest get = access_question(path_review(token->user, question.path));
    const kube::HttpResponse get_answer = co_await upstream_.send(std::move(get));
    kube::ApiRequest list = access_question(pods_review(token->user, question.ns));
    const kube::HttpResponse list_answer = co_await upstream_.send(std::move(list));
    const auto may_get = allowed_by(get_answer), may_list = allowed_by(list_answer);
    if (!may_get || !may_list) co_return MayRead::kUnknown;
    const bool may = *may_get && *may_list;
    co_return may ? MayRead::kYes : MayRead::kNo;
  } catch (const std::exception& e) {
    report(trouble_, "web: an access review", e);
    co_return MayRead::kUnknown;
  }
}

kube::Async<void> Access::keep(Promise promise, Question question) {
  const MayRead answer = co_await ask(std::move(question));
  promise->set_value(answer);
}

MayRead Access::may_read(const std::string& token, const std::string& path, const std::string& ns) {
  if (token.empty()) return MayRead::kUnauthenticated;
  const Question question{token, path, ns};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = known_.find(question);
        known != known_.end() && kube::Clock::now() < known->second.until)
      return known->second.answer;
  }
  const auto reply = wait_for_loop<MayRead>(
      upstream_.loop, is_closing_, kReviewTimeout,
      [this, question](const Promise& promise) { kube::spawn(keep(promise, question)); });
  const MayRead answer = reply.value_or(MayRead::kUnknown);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  if (answer != MayRead::kUnknown)
    known_.insert_or_assign(question, Known{answer, kube::Clock::now() + kAnswerLifetime});
  return answer;
}

}  // namespace muster::serve
