// Pages and probes, answered by threads of their own.
#include "serve/health/http_server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <charconv>
#include <thread>

#include "serve/health/metrics.hpp"
#include "serve/health/vitals.hpp"

namespace muster::serve {
namespace {

constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";

// `trouble` in words; "": all is well.
void answer_probe(const std::string& trouble, httplib::Response& response) {
  response.status = trouble.empty() ? 200 : 503;
  response.set_content((trouble.empty() ? "ok" : trouble) + "\n", kPlain);
}

}  // namespace

struct HttpServer::State {
  httplib::Server server;
  std::thread thread;
};

HttpServer::HttpServer(const Metrics& metrics, const Vitals& vitals) : state_(std::make_unique<State>()) {
  httplib::Server& server = state_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  server.Get("/metrics", [&](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics.text(), kPrometheus);
  });
  server.Get("/healthz", [&](const httplib::Request&, httplib::Response& response) {
    answer_probe(vitals.not_alive(), response);
  });
  server.Get("/readyz", [&](const httplib::Request&, httplib::Response& response) {
    answer_probe(vitals.not_ready(), response);
  });
}

HttpServer::~HttpServer() {
  state_->server.stop();
  if (state_->thread.joinable()) state_->thread.join();
}

Result<int> HttpServer::start(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  int port = -1;
  if (colon != std::string::npos)
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  if (port < 0 || port > 65535) return Error{fmt::format("\"{}\" is no address like :8080", address)};
  std::string host = address.substr(0, colon);
  if (host.empty()) host = "0.0.0.0";
  const bool bound = port == 0 ? (port = state_->server.bind_to_any_port(host.c_str())) > 0
                               : state_->server.bind_to_port(host.c_str(), port);
  if (!bound) return Error{fmt::format("can not listen on {}", address)};
  state_->thread = std::thread([this] { state_->server.listen_after_bind(); });
  return port;
}

}  // namespace muster::serve
