// Answers the requests of the HTTP API: checks access, then explains a job or writes a snapshot.
#include "serve/web/interface.hpp"

#include <nlohmann/json.hpp>

#include "answers/explain.hpp"
#include "answers/find_job.hpp"
#include "answers/json.hpp"
#include "serve/web/loop_answer.hpp"

namespace muster::serve {
namespace {

using nlohmann::ordered_json;

constexpr auto kListTimeout = std::chrono::seconds(60);
constexpr std::string_view kJobs = "/api/v1/jobs/", kSnapshot = "/api/v1/snapshot";

std::string text_of_json(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

using ListPromise = std::shared_ptr<std::promise<Result<ordered_json>>>;

kube::Async<void> keep_list(const Upstream* upstream, ListPromise promise) {
  try {
    Result<ordered_json> list = co_await upstream->list();
    promise->set_value(std::move(list));
  } catch (const std::exception&) {
    promise->set_exception(std::current_exception());
  }
}

}  // namespace

Interface::~Interface() { close(); }

Interface::Interface(Upstream upstream, Views& views, HttpApiOptions options)
    : upstream_(std::move(upstream)),
      views_(views),
      options_(std::move(options)),
      access_(upstream_, is_closing_, options_.trouble),
      server_([this](const WebRequest& request) { return answer(request); }, options_.trouble) {}

void Interface::close() {
  is_closing_ = true;
  views_.close();
}

bool Interface::stop(std::chrono::milliseconds most) {
  close();
  return server_.stop(most);
}

WebAnswer Interface::answer(const WebRequest& request) {
  return guarded(
      options_.trouble, "web: a request", [&] { return page(request); },
      [] { return web_error(500, "the request failed; the scheduler's log says why"); });
}

WebAnswer Interface::page(const WebRequest& request) {
  if (request.path == kSnapshot) return snapshot(request);
  if (request.path.starts_with(kJobs)) return job(request);
  return web_error(404, "not found; use /api/v1/snapshot or /api/v1/jobs/NAMESPACE/NAME");
}

std::optional<WebAnswer> Interface::refusal(const WebRequest& request, const std::string& ns) {
  if (!options_.asks_tokens) return std::nullopt;
  switch (access_.may_read(request.token, request.path, ns)) {
    case MayRead::kYes:
      return std::nullopt;
    case MayRead::kUnauthenticated:
      return web_error(401, "a bearer token that the API server accepts is required");
    case MayRead::kNo:
      return web_error(403, "access denied: permission to get this path and to list pods is required");
    case MayRead::kUnknown:
      break;
  }
  return web_error(503, "could not check access with the API server; try again");
}

WebAnswer Interface::job(const WebRequest& request) {
  const std::string full = request.path.substr(kJobs.size());
  const auto slash = full.find('/');
  if (slash == full.npos || slash == 0 || slash + 1 == full.size() || full.find('/', slash + 1) != full.npos)
    return web_error(404, "not found; the path of a job is /api/v1/jobs/NAMESPACE/NAME");
  if (auto refused = refusal(request, full.substr(0, slash))) return *refused;
  const auto view = views_.ask();
  if (view == nullptr) return web_error(503, "the scheduler is not ready to answer; try again");
  const answers::FoundJob found = answers::find_job(view->cluster, full);
  if (!found.job.valid()) return web_error(404, found.problem);
  const answers::Explanation e =
      answers::explain({view->cluster, view->policy, view->now, &view->times}, found.job);
  ordered_json body = answers::explanation_json(view->cluster, e);
  body["at"] = format_time(view->now);
  return {200, text_of_json(body)};
}

// Returns what the next cycle sees; a replica that runs no cycles lists the objects from the API server.
WebAnswer Interface::snapshot(const WebRequest& request) {
  if (auto refused = refusal(request, "")) return *refused;
  if (auto text = options_.of_cycle()) return {200, *std::move(text)};
  const auto reply = wait_for_loop<Result<ordered_json>>(
      upstream_.loop, is_closing_, kListTimeout,
      [this](const ListPromise& promise) { kube::spawn(keep_list(&upstream_, promise)); });
  if (!reply) return web_error(503, "the API server did not answer in time");
  const Result<ordered_json>& list = *reply;
  if (!list) return web_error(503, list.error().text());
  return {200, text_of_json(*list)};
}

}  // namespace muster::serve
