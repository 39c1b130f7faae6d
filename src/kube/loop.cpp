// Runs transfers with libcurl's multi interface, timers, and work posted from other threads.
#include "kube/loop.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <utility>

namespace muster::kube {
namespace {

constexpr long kConnectTimeoutMs = 10'000;
constexpr long kKeptConnections = 128;
constexpr std::size_t kKeptHandles = 64;
constexpr int kLongestPollMs = 1'000;
// Under load, everything that arrives within this time is handled together.
constexpr auto kShortestRound = std::chrono::milliseconds(2);
// A line is one event of a watch. etcd stores no object above 1.5 MiB.
constexpr std::size_t kLongestLine = 64U << 20U;
// A proxy may send a Retry-After of years; the cached objects would become stale.
constexpr curl_off_t kLongestRetryAfter = 60;

void initialise_curl() {
  static const CURLcode once = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(once);
}

// Copies the text, because it may be replaced during the transfer.
curl_blob blob_of(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
}

}  // namespace

// One request in flight. It lives in the frame of the coroutine that sends it.
class Transfer {
 public:
  Transfer(Loop& loop, const HttpRequest& request, const TlsIdentity& tls)
      : loop_(loop), request_(request), tls_(tls) {}
  ~Transfer() {
    curl_slist_free_all(headers_);
    curl_slist_free_all(connect_to_);
  }

  bool await_ready() const { return loop_.stopping_; }
  void await_suspend(std::coroutine_handle<> caller) {
    caller_ = caller;
    easy_ = take_handle();
    set_up();
    loop_.transfers_.emplace(easy_, this);
    loop_.starting_.push_back(easy_);
  }
  HttpResponse await_resume() {
    if (easy_ == nullptr) response_.error = "stopping";
    return std::move(response_);
  }

  bool is_write() const { return request_.is_write(); }
  bool is_of(const void* owner) const { return request_.owner == owner; }

  // Fills in the response and resumes the waiting coroutine. `reason` replaces libcurl's text and marks the
  // transfer as failed.
  void finish(CURLcode code, const char* reason = nullptr) {
    long status = 0;
    curl_off_t retry_after = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy_, CURLINFO_RETRY_AFTER, &retry_after);
    const bool failed = code != CURLE_OK && !(code == CURLE_WRITE_ERROR && ended_by_reader_);
    if (failed || reason != nullptr) {
      status = 0;
      response_.error = reason != nullptr ? reason : error_[0] != '\0' ? error_ : curl_easy_strerror(code);
      if (!reader_failure_.empty()) response_.error = reader_failure_;
    }
    response_.status = static_cast<int>(status);
    response_.retry_after = std::chrono::seconds(std::clamp<curl_off_t>(retry_after, 0, kLongestRetryAfter));
    std::erase(loop_.starting_, easy_);
    curl_multi_remove_handle(static_cast<CURLM*>(loop_.multi_), easy_);
    give_back(easy_);
    caller_.resume();
  }

 private:
  CURL* take_handle() {
    if (loop_.idle_handles_.empty()) return curl_easy_init();
    void* const handle = loop_.idle_handles_.back();
    loop_.idle_handles_.pop_back();
    return handle;
  }
  void give_back(CURL* handle) {
    if (loop_.idle_handles_.size() >= kKeptHandles) return curl_easy_cleanup(handle);
    curl_easy_reset(handle);
    loop_.idle_handles_.push_back(handle);
  }

  void set_up() {
    for (const std::string& header : request_.headers) headers_ = curl_slist_append(headers_, header.c_str());
    headers_ = curl_slist_append(headers_, "Expect:");
    set_up_route();
    set(CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    set(CURLOPT_HTTPHEADER, headers_);
    set(CURLOPT_ERRORBUFFER, error_);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    set(CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
    if (request_.idle_timeout.count() > 0) {
      set(CURLOPT_LOW_SPEED_LIMIT, 1L);
      set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.idle_timeout.count()));
    }
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    set(CURLOPT_TCP_KEEPIDLE, 15L);
    set(CURLOPT_TCP_KEEPINTVL, 5L);
    set(CURLOPT_PROTOCOLS_STR, request_.allow_http ? "http,https" : "https");
    set(CURLOPT_PROXY, tls_.proxy.c_str());
    if (request_.is_write()) {
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
      set(CURLOPT_POSTFIELDS, request_.body.data());
    }
    set(CURLOPT_WRITEFUNCTION, &Transfer::received);
    set(CURLOPT_WRITEDATA, this);
    set_up_tls();
  }

  // If the certificate has a different name than the address, requests that name but connects to the address.
  void set_up_route() {
    const std::size_t host = request_.url.find("://") + 3;
    const std::size_t end = std::min(request_.url.find_first_of("/?", host), request_.url.size());
    if (tls_.server_name.empty()) return set(CURLOPT_URL, request_.url.c_str());
    const std::string address = request_.url.substr(host, end - host);
    connect_to_ = curl_slist_append(nullptr, ("::" + with_port(address)).c_str());
    set(CURLOPT_CONNECT_TO, connect_to_);
    const std::string url = request_.url.substr(0, host) + tls_.server_name + request_.url.substr(end);
    set(CURLOPT_URL, url.c_str());
  }
  static std::string with_port(const std::string& address) {
    const std::size_t colon = address.rfind(':');
    const bool has_port = colon != std::string::npos && address.find(']', colon) == std::string::npos;
    return has_port ? address : address + ":443";
  }

  void set_up_tls() {
    set(CURLOPT_SSL_VERIFYPEER, 1L);
    set(CURLOPT_SSL_VERIFYHOST, 2L);
    set_blob(CURLOPT_CAINFO_BLOB, tls_.authority);
    if (tls_.certificate.empty()) return;
    set(CURLOPT_SSLCERTTYPE, "PEM");
    set(CURLOPT_SSLKEYTYPE, "PEM");
    set_blob(CURLOPT_SSLCERT_BLOB, tls_.certificate);
    set_blob(CURLOPT_SSLKEY_BLOB, tls_.key);
  }

  template <class Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(easy_, option, value);
  }
  void set_blob(CURLoption option, const std::string& text) {
    if (text.empty()) return;
    const curl_blob blob = blob_of(text);
    curl_easy_setopt(easy_, option, &blob);
  }

  // No exception may pass through libcurl. An exception of the reader fails the transfer instead.
  static std::size_t received(char* data, std::size_t one, std::size_t size, void* self) noexcept {
    Transfer& transfer = *static_cast<Transfer*>(self);
    try {
      return transfer.take({data, one * size}) ? one * size : 0;
    } catch (...) {
      transfer.ended_by_reader_ = false;
      transfer.reader_failure_ = "reading the answer failed: " + text_of_exception(std::current_exception());
      return 0;
    }
  }

  bool take(std::string_view data) {
    long status = 0;
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (!request_.on_line || status >= 300) {
      response_.body.append(data);
      return true;
    }
    ended_by_reader_ = !take_lines(data);
    return !ended_by_reader_;
  }

  bool take_lines(std::string_view data) {
    for (std::size_t end = data.find('\n'); end != data.npos; end = data.find('\n')) {
      std::string_view line = data.substr(0, end);
      if (!partial_.empty()) line = partial_.append(line);
      const bool goes_on = line.empty() || request_.on_line(line);
      partial_.clear();
      if (!goes_on) return false;
      data.remove_prefix(end + 1);
    }
    partial_.append(data);
    return partial_.size() <= kLongestLine;
  }

  Loop& loop_;
  const HttpRequest& request_;
  const TlsIdentity& tls_;
  std::coroutine_handle<> caller_;
  CURL* easy_ = nullptr;
  curl_slist *headers_ = nullptr, *connect_to_ = nullptr;
  char error_[CURL_ERROR_SIZE] = "";
  HttpResponse response_;
  std::string partial_;  // the start of a line that is still incomplete
  bool ended_by_reader_ = false;
  std::string reader_failure_;  // the text of the reader's exception
};

Loop::Loop() {
  initialise_curl();
  multi_ = curl_multi_init();
  curl_multi_setopt(static_cast<CURLM*>(multi_), CURLMOPT_MAXCONNECTS, kKeptConnections);
}

Loop::~Loop() {
  for (void* handle : idle_handles_) curl_easy_cleanup(handle);
  curl_multi_cleanup(static_cast<CURLM*>(multi_));
}

Async<HttpResponse> Loop::send(HttpRequest request, const TlsIdentity* tls) {
  Transfer transfer(*this, request, *tls);
  co_return co_await transfer;
}

void Loop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  curl_multi_wakeup(static_cast<CURLM*>(multi_));
}

void Loop::stop() {
  stop_asked_ = true;
  curl_multi_wakeup(static_cast<CURLM*>(multi_));
}

void Loop::report(const FailedTask& failed) {
  if (on_failed_task) return on_failed_task(failed);
  print_error(failed.text());
  if (failed.kind == TaskKind::kEssential) stop();
}

void Loop::run() {
  const FailedTaskHandler handler([this](const FailedTask& failed) { report(failed); });
  for (Clock::time_point last{};;) {
    std::this_thread::sleep_until(last + kShortestRound);
    last = Clock::now();
    run_posted();
    if (stop_asked_ && !stopping_) stopping_ = true;
    if (stopping_) end_waits();
    if (stopping_ && offloaded_ == 0) break;
    run_timers();
    start_transfers();
    int running = 0;
    curl_multi_perform(static_cast<CURLM*>(multi_), &running);
    finish_transfers();
    start_transfers();
    curl_multi_poll(static_cast<CURLM*>(multi_), nullptr, 0, poll_milliseconds(), nullptr);
  }
}

void Loop::run_posted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& item : work) try {
      item();
    } catch (...) {
      FailedTaskHandler::report({"posted from another thread", text_of_exception(std::current_exception())});
    }
}

void Loop::run_timers() {
  const auto now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first <= now) {
    const auto caller = timers_.begin()->second;
    timers_.erase(timers_.begin());
    caller.resume();
  }
}

void Loop::start_transfers() {
  for (void* handle : std::exchange(starting_, {}))
    curl_multi_add_handle(static_cast<CURLM*>(multi_), handle);
}

void Loop::finish_transfers() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(static_cast<CURLM*>(multi_), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    const CURLcode code = message->data.result;
    const auto found = transfers_.find(message->easy_handle);
    if (found == transfers_.end()) continue;
    Transfer* const transfer = found->second;
    transfers_.erase(found);
    transfer->finish(code);
  }
}

template <class Predicate>
void Loop::abort_if(Predicate&& predicate) {
  std::vector<Transfer*> ended;
  for (auto at = transfers_.begin(); at != transfers_.end();) {
    const bool ends = predicate(*at->second);
    if (ends) ended.push_back(at->second);
    at = ends ? transfers_.erase(at) : std::next(at);
  }
  for (Transfer* transfer : ended) transfer->finish(CURLE_ABORTED_BY_CALLBACK, "cancelled by muster");
}

void Loop::abort_writes() {
  abort_if([](const Transfer& transfer) { return transfer.is_write(); });
}

void Loop::abort(const void* owner) {
  abort_if([&](const Transfer& transfer) { return transfer.is_of(owner); });
}

// Resumed coroutines see that the loop is stopping and cannot start another wait.
void Loop::end_waits() {
  while (!transfers_.empty()) {
    Transfer* const transfer = transfers_.begin()->second;
    transfers_.erase(transfers_.begin());
    transfer->finish(CURLE_ABORTED_BY_CALLBACK, "stopping");
  }
  while (!timers_.empty()) {
    const auto caller = timers_.begin()->second;
    timers_.erase(timers_.begin());
    caller.resume();
  }
}

int Loop::poll_milliseconds() const {
  if (timers_.empty()) return kLongestPollMs;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(timers_.begin()->first - Clock::now());
  return std::clamp(static_cast<int>(left.count()), 0, kLongestPollMs);
}

}  // namespace muster::kube
