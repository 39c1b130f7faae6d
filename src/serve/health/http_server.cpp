// Uses two threads: one accepts connections, reads requests and answers probes; the other makes and sends
// pages.
#include "serve/health/http_server.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <utility>

#include "serve/health/http_connections.hpp"
#include "serve/health/metrics.hpp"
#include "serve/health/vitals.hpp"

namespace muster::serve {
namespace {

using Clock = HttpConnection::Clock;

constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";
constexpr auto kFresh = std::chrono::seconds(1);

// A page that is expensive to render. It is rendered at most once a second, and all clients share it.
class RecentPage {
 public:
  RecentPage(const char* type, std::function<std::string()> make) : type_(type), make_(std::move(make)) {}

  Page page() {
    if (text_ == nullptr || Clock::now() - made_ >= kFresh) {
      text_ = std::make_shared<const std::string>(make_());
      made_ = Clock::now();
    }
    return {.type = type_, .body = text_};
  }

 private:
  const char* const type_;
  const std::function<std::string()> make_;
  SharedText text_;
  Clock::time_point made_;
};

// `trouble` is "" if the daemon is healthy.
Page probe(const std::string& trouble) {
  return page_of(trouble.empty() ? 200 : 503, (trouble.empty() ? "ok" : trouble) + "\n");
}

}  // namespace

class HttpServer::Threads {
 public:
  Threads(Socket listener, const HttpServer& server)
      : vitals_(server.vitals_),
        trouble_(server.trouble_),
        recent_(recent_pages(server.metrics_, server.shadow_)),
        pages_(
            Socket(), [this](HttpConnection& c) { answer_page(c); }, trouble_),
        front_(
            std::move(listener), [this](HttpConnection& c) { answer_probe(c); }, trouble_) {}

 private:
  using RecentPages = std::map<std::string, RecentPage, std::less<>>;

  static RecentPages recent_pages(const Metrics& metrics, const TextSource* shadow) {
    RecentPages pages;
    pages.emplace("/metrics", RecentPage(kPrometheus, [&metrics] { return metrics.text(); }));
    if (shadow != nullptr)
      pages.emplace("/shadow", RecentPage("application/json", [shadow] { return shadow->text(); }));
    return pages;
  }

  void answer_probe(HttpConnection& c) {
    if (c.path() == "/healthz") return c.answer(probe(vitals_.not_alive()));
    if (c.path() == "/readyz") return c.answer(probe(vitals_.not_ready()));
    if (!recent_.contains(c.path()))
      return c.answer(page_of(404, "not found; use /metrics, /healthz or /readyz\n"));
    if (!pages_.take(c)) c.answer(page_of(503, "too many requests in progress\n"));
  }

  void answer_page(HttpConnection& c) {
    const std::string what = "http: " + c.path();
    if (!pages_.may_begin_answer()) return c.answer(page_of(503, "too many requests in progress\n"));
    c.answer(guarded(
        trouble_, what.c_str(), [&] { return recent_.find(c.path())->second.page(); },
        [] { return page_of(500, "the page could not be generated\n"); }));
  }

  const Vitals& vitals_;
  const Trouble trouble_;
  RecentPages recent_;  // only the second thread uses the pages
  HttpConnections pages_, front_;
};

HttpServer::HttpServer(const Metrics& metrics, const Vitals& vitals, const TextSource* shadow,
                       Trouble trouble)
    : metrics_(metrics), vitals_(vitals), shadow_(shadow), trouble_(std::move(trouble)) {}

HttpServer::~HttpServer() = default;

Result<int> HttpServer::start(const std::string& address) {
  auto listening = listen_at(address);
  if (!listening) return listening.error();
  threads_ = std::make_unique<Threads>(std::move(listening->socket), *this);
  return listening->port;
}

}  // namespace muster::serve
