// Any text as a request to the HTTP API, and as the API server's answers about the client.
//
// Parts of the input end with the byte 0x1e: the head of the request, then the bodies of the API server's
// answers, a TokenReview and two SubjectAccessReviews. If one is missing, the API server allows the request.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "kube/loop.hpp"
#include "serve/web/interface.hpp"

namespace {

using namespace muster;
using nlohmann::ordered_json;

constexpr char kEndOfPart = '\x1e';

void require(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::deque<std::string> parts_of(std::string_view text) {
  std::deque<std::string> parts(1);
  for (const char c : text)
    if (c == kEndOfPart)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

// A loop that runs as long as the program.
kube::Loop& running_loop() {
  static kube::Loop* const loop = [] {
    auto* const made = new kube::Loop;
    std::thread([made] { made->run(); }).detach();
    return made;
  }();
  return *loop;
}

// Answers each request with the next part.
class FakeUpstream {
 public:
  explicit FakeUpstream(std::deque<std::string>& answers) : answers_(answers) {}

  serve::Upstream upstream() {
    return {.loop = running_loop(),
            .send = [this](kube::ApiRequest request) { return answer(std::move(request)); },
            .list = [] { return list(); }};
  }

 private:
  kube::Async<kube::HttpResponse> answer(kube::ApiRequest request) {
    require(ordered_json::accept(request.body), "the API server is asked something that is not JSON");
    kube::HttpResponse response;
    response.status = 201;
    response.body = request.path.ends_with("/tokenreviews")
                        ? R"({"status":{"authenticated":true,"user":{"username":"alice"}}})"
                        : R"({"status":{"allowed":true}})";
    if (!answers_.empty()) {
      response.body = answers_.front();
      answers_.pop_front();
    }
    co_return response;
  }

  static kube::Async<Result<ordered_json>> list() {
    Result<ordered_json> items = ordered_json{{"items", ordered_json::array()}};
    co_return items;
  }

  std::deque<std::string>& answers_;
};

serve::Views& empty_views() {
  static serve::Views* const views = [] {
    static serve::Views* made = nullptr;
    made = new serve::Views([] { made->answer(std::make_shared<serve::ClusterView>()); });
    return made;
  }();
  return *views;
}

void check(const serve::WebAnswer& answer) {
  switch (answer.status) {
    case 200:
    case 400:
    case 401:
    case 403:
    case 404:
    case 405:
    case 413:
    case 503:
      return require(ordered_json::accept(answer.body), "an answer is not JSON");
    default:
      require(false, "an answer has a status that no request should have");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::deque<std::string> parts = parts_of({reinterpret_cast<const char*>(data), size});
  const std::string head = parts.front();
  parts.pop_front();
  FakeUpstream upstream(parts);
  serve::Interface interface(upstream.upstream(), empty_views(), {});
  check(serve::answer_to(head, [&](const serve::WebRequest& request) { return interface.answer(request); }));
  return 0;
}
