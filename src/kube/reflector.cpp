// Lists in pages, watches that go on where the last one ended, and who is told of what.
#include "kube/reflector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "kube/json.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kWaitForAbsentKind = seconds(30);
constexpr auto kListTimeout = seconds(120);
constexpr int kGone = 410;
// Bookmarks come about once a minute where nothing else does.
constexpr auto kLongestSilence = seconds(90);
constexpr auto kAllVersions = std::numeric_limits<std::uint64_t>::max();
constexpr const char* kMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr const char* kMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

// Servers end a watch after this; not all at once.
int watch_seconds() {
  static std::minstd_rand random{std::random_device()()};
  return std::uniform_int_distribution<int>(240, 480)(random);
}

}  // namespace

Reflector::Reflector(ApiClient& client, ReflectorOptions options, ReflectorListener& listener)
    : client_(client), options_(std::move(options)), served_(options_.resource), listener_(listener) {}

Reflector::~Reflector() = default;

Async<void> Reflector::run() {
  while (!client_.loop().stopping()) {
    bool is_listed = !known_.wants_list() && !version_.empty();
    if (!is_listed) is_listed = co_await list();
    if ((is_listed || is_absent_) && known_.wants_list()) continue;  // asked for while that one was under way
    if (is_listed) {
      co_await watch();
    } else {
      const milliseconds wait = is_absent_ ? milliseconds(kWaitForAbsentKind) : backoff_.next(retry_after_);
      co_await client_.loop().sleep(wait);
    }
  }
}

void Reflector::refresh(bool tell_all) {
  if (is_absent_) return;  // looked for again in a while, and nothing waits for a kind that is not there
  known_.want_list();
  if (tell_all) known_.forget_versions();
  client_.loop().abort(this);
}

bool Reflector::knows(std::string_view ns, std::string_view name) const {
  return known_.contains(fmt::format("{}/{}", ns, name));
}

// ---------------------------------------------------------------- list

std::string Reflector::list_path(const std::string& next) const {
  std::string path = fmt::format("{}?limit={}", served_.path(), options_.page_size);
  if (!options_.field_selector.empty()) path += "&fieldSelector=" + escaped(options_.field_selector);
  if (!next.empty()) path += "&continue=" + escaped(next);
  return path;
}

// False: it did not work out and is to be tried again.
Async<bool> Reflector::list() {
  known_.begin_list();
  retry_after_ = seconds(0);
  std::string next;
  do {
    const HttpResponse page = co_await ask_for_page(next);
    is_absent_ = options_.is_optional && (page.status == 404 || page.status == 403);
    if (is_absent_) {
      finish_list(kAllVersions);
      co_return false;
    }
    if (!page.ok() || !take_page(page.body, next)) {
      retry_after_ = page.retry_after;
      if (!client_.loop().stopping())
        listener_.troubled(fmt::format("listing {}: {}", served_.plural, describe(page)));
      co_return false;
    }
  } while (!next.empty());
  version_ = listed_version_;
  finish_list(version_number(version_));
  backoff_.reset();
  co_return true;
}

Async<HttpResponse> Reflector::ask_for_page(const std::string& next) {
  for (;;) {
    ApiRequest request{.path = list_path(next),
                       .accept = options_.metadata_only ? kMetadataList : kJson,
                       .timeout = kListTimeout};
    HttpResponse page = co_await client_.send(std::move(request));
    if (page.status != 404 || !try_older_version()) co_return page;
  }
}

// After the last one, the first is the next.
bool Reflector::try_older_version() {
  const auto& older = options_.older_versions;
  const auto now = std::ranges::find(older, served_.version);
  const auto next = now == older.end() ? older.begin() : now + 1;
  served_.version = next == older.end() ? options_.resource.version : *next;
  return next != older.end();
}

bool Reflector::take_page(std::string_view text, std::string& next) {
  const auto page = reader_.page(text, [&](Json object, bool is_whole) {
    if (is_whole)
      take_object(object, true);
    else
      leave(object, "listing");
  });
  if (!page.is_list) return false;
  next = page.next;
  listed_version_ = page.version;
  last_contact_ = Clock::now();
  return true;
}

// An object that can not be read stays what it was, if it was known at all.
void Reflector::leave(Json object, std::string_view doing) {
  const auto metadata = part_at(object, "metadata");
  const std::string key = metadata ? key_of(*metadata) : "";
  known_.keep(key);
  listener_.troubled(fmt::format("{} {}: {} can not be read and is left as it was", doing, served_.plural,
                                 key.empty() ? "an object" : key));
}

void Reflector::finish_list(std::uint64_t version) {
  for (const std::string& key : known_.end_list(version)) {
    const std::size_t slash = key.find('/');
    listener_.gone(key.substr(0, slash), key.substr(slash + 1));
  }
  is_synced_ = true;
  listener_.listed();
}

// ---------------------------------------------------------------- watch

std::string Reflector::watch_path() const {
  std::string path = fmt::format("{}?watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                                 served_.path(), escaped(version_), watch_seconds());
  if (!options_.field_selector.empty()) path += "&fieldSelector=" + escaped(options_.field_selector);
  return path;
}

Async<void> Reflector::watch() {
  const auto start = Clock::now();
  ApiRequest request{.path = watch_path(),
                     .accept = options_.metadata_only ? kMetadata : kJson,
                     .timeout = seconds(600),
                     .longest_silence = kLongestSilence,
                     .on_line = [this](std::string_view line) { return take_event(line); },
                     .owner = this};
  const HttpResponse end = co_await client_.send(std::move(request));
  if (client_.loop().stopping() || known_.wants_list()) co_return;
  if (end.ok()) last_contact_ = Clock::now();
  if (end.status == kGone) version_.clear();
  if (end.ok() || end.status == kGone) {
    // A server that ends streams at once is asked less and less often.
    const bool lasted = Clock::now() - start > seconds(1);
    if (lasted) backoff_.reset();
    if (!lasted) co_await client_.loop().sleep(backoff_.next());
    co_return;
  }
  listener_.troubled(fmt::format("watching {}: {}", served_.plural, describe(end)));
  if (end.status == 404 || end.status == 403 || end.status == 400) version_.clear();
  co_await client_.loop().sleep(backoff_.next(end.retry_after));
}

// False ends the stream.
bool Reflector::take_event(std::string_view line) {
  last_contact_ = Clock::now();
  bool goes_on = true;
  const bool is_event = reader_.event(line, [&](std::string_view type, Json object, bool is_whole) {
    goes_on = take_event(type, object, is_whole);
  });
  if (!is_event) listener_.troubled(fmt::format("watching {}: an event that is no JSON", served_.plural));
  return goes_on && !known_.wants_list();
}

bool Reflector::take_event(std::string_view type, Json object, bool is_whole) {
  if (type == "ERROR") return take_error(object);
  if (type == "DELETED")
    take_deletion(object);
  else if (!is_whole)
    leave(object, "watching");
  else if (type != "BOOKMARK")
    take_object(object, false);
  if (const auto metadata = part_at(object, "metadata"))
    if (const std::string_view version = text_at(*metadata, "resourceVersion");
        version_number(version) >= version_number(version_))
      version_ = version;
  return true;
}

bool Reflector::take_error(Json status) {
  if (number_at(status, "code") != kGone)
    listener_.troubled(fmt::format("watching {}: {}", served_.plural, text_at(status, "message")));
  version_.clear();
  return false;
}

// ---------------------------------------------------------------- objects

void Reflector::take_object(Json object, bool from_list) {
  const auto metadata = part_at(object, "metadata");
  if (!metadata) return;
  const std::string key = key_of(*metadata);
  const std::uint64_t version = kube::version_of(*metadata);
  const bool is_news = from_list ? known_.take_listed(key, version) : known_.take(key, version);
  if (is_news) listener_.changed(object);
}

void Reflector::take_deletion(Json object) {
  const auto metadata = part_at(object, "metadata");
  if (!metadata) return;
  const std::string ns(text_at(*metadata, "namespace")), name(text_at(*metadata, "name"));
  if (known_.take_deletion(key_of(*metadata), kube::version_of(*metadata))) listener_.gone(ns, name);
}

void Reflector::saw(std::string_view text, Tell tell) {
  Json root;
  const bool is_ours = reader_.object(text, root) && text_at(root, "kind") == served_.kind;
  const auto metadata = is_ours ? part_at(root, "metadata") : std::nullopt;
  if (!metadata) return;
  // What the watch has passed and we do not know has been deleted since.
  const std::string key = key_of(*metadata);
  if (tell == Tell::kEvenIfKnown) known_.forget_version(key, kube::version_of(*metadata));
  if (known_.contains(key) || kube::version_of(*metadata) > version_number(version_))
    take_object(root, false);
}

}  // namespace muster::kube
