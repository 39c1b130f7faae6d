// Lists in pages, watches that resume where the last one ended, and reports to the listener.
#include "kube/reflector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "kube/json.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kListTimeout = seconds(120);
constexpr int kGone = 410;
// The server sends a bookmark about once a minute even if nothing changes.
constexpr auto kLongestSilence = seconds(90);
constexpr auto kAllVersions = std::numeric_limits<std::uint64_t>::max();
constexpr const char* kMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
constexpr const char* kMetadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

// The time after which the server ends a watch, randomised so that watches do not all end together.
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
    if ((is_listed || is_absent_) && known_.wants_list()) continue;  // requested during that list
    if (is_listed) {
      co_await watch();
    } else {
      co_await client_.loop().sleep(wait_after_failed_list());
    }
  }
}

void Reflector::refresh(bool tell_all) {
  if (is_absent_) return;  // run() retries by itself, and nothing waits for an absent kind
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

// A server that has just started may not know all permissions yet, so a refused kind is soon requested again.
milliseconds Reflector::wait_after_failed_list() {
  if (!is_absent_) return backoff_.next(retry_after_);
  const bool may_change_soon =
      refused_since_ && Clock::now() - *refused_since_ < options_.patience_with_refusals;
  return may_change_soon ? std::min(backoff_.next(), options_.wait_for_absent) : options_.wait_for_absent;
}

bool Reflector::is_refused(const HttpResponse& page) const {
  return options_.is_optional && page.status == 403;
}

void Reflector::end_absent(const HttpResponse& page) {
  if (page.status == 404) refused_since_.reset();
  was_listed_ = false;
  is_absent_ = true;
  finish_list(kAllVersions);
}

// Reports the refusal once, until the server answers otherwise.
void Reflector::end_refused(const HttpResponse& page) {
  const auto now = last_contact_ = Clock::now();
  const bool is_first = !refused_since_;
  if (is_first) refused_since_ = now;
  retry_after_ = page.retry_after;
  if (is_first)
    listener_.troubled(fmt::format(
        "cannot list {}: {}; {}; muster keeps retrying", served_.plural, describe(page),
        was_listed_ ? "the objects known so far are kept" : "until access is granted, there are none"));
  if (!was_listed_) return end_absent(page);
  if (now - *refused_since_ >= options_.patience_with_refusals) known_.end_list_without_answer();
}

// Returns false if the list failed and must be retried.
Async<bool> Reflector::list() {
  known_.begin_list();
  const bool was_stale = std::exchange(is_stale_, false);
  if (was_stale) may_list_stale_ = Clock::now() + between_stale_.next();
  retry_after_ = seconds(0);
  std::string next;
  do {
    const HttpResponse page = co_await ask_for_page(next);
    is_absent_ = false;
    if (options_.is_optional && page.status == 404) {
      end_absent(page);
      co_return false;
    }
    if (is_refused(page)) {
      is_stale_ |= was_stale;
      end_refused(page);
      co_return false;
    }
    if (!page.ok() || !take_page(page.body, next)) {
      retry_after_ = page.retry_after;
      is_stale_ |= was_stale;
      if (!client_.loop().stopping())
        listener_.troubled(fmt::format("cannot list {}: {}", served_.plural, describe(page)));
      co_return false;
    }
  } while (!next.empty());
  version_ = listed_version_;
  was_listed_ = true;
  refused_since_.reset();
  finish_list(version_number(version_));
  backoff_.reset();
  if (!is_stale_) between_stale_.reset();
  co_return true;
}

Async<HttpResponse> Reflector::ask_for_page(std::string next) {
  for (;;) {
    ApiRequest request{.path = list_path(next),
                       .accept = options_.metadata_only ? kMetadataList : kJson,
                       .timeout = kListTimeout};
    HttpResponse page = co_await client_.send(std::move(request));
    if (page.status != 404 || !try_older_version()) co_return page;
  }
}

// Returns false after the last version; the next call starts over.
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
      keep_unreadable(object, "listing");
  });
  if (!page.is_list) return false;
  next = page.next;
  listed_version_ = page.version;
  last_contact_ = Clock::now();
  return true;
}

// Keeps the previous state of an object that cannot be read, if it was known at all.
void Reflector::keep_unreadable(Json object, std::string_view doing) {
  const auto metadata = part_at(object, "metadata");
  const std::string key = metadata ? key_of(*metadata) : "";
  known_.keep(key);
  listener_.troubled(fmt::format("{} {}: {} cannot be read; its previous state is kept", doing,
                                 served_.plural, key.empty() ? "an object" : key));
}

void Reflector::finish_list(std::uint64_t version) {
  for (const std::string& key : known_.end_list(version)) {
    const std::size_t slash = key.find('/');
    tell_gone(key.substr(0, slash), key.substr(slash + 1));
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
                     .idle_timeout = kLongestSilence,
                     .on_line = [this](std::string_view line) { return take_event(line); },
                     .owner = this};
  const HttpResponse end = co_await client_.send(std::move(request));
  if (client_.loop().stopping() || known_.wants_list()) co_return;
  if (wants_list_of_stale()) version_.clear();
  if (end.ok()) last_contact_ = Clock::now();
  if (end.status == kGone) version_.clear();
  if (end.ok() || end.status == kGone) {
    // Backs off if the server ends streams immediately.
    const bool lasted = Clock::now() - start > seconds(1);
    if (lasted) backoff_.reset();
    if (!lasted) co_await client_.loop().sleep(backoff_.next());
    co_return;
  }
  listener_.troubled(fmt::format("cannot watch {}: {}", served_.plural, describe(end)));
  if (end.status == 404 || end.status == 403 || end.status == 400) version_.clear();
  co_await client_.loop().sleep(backoff_.next(end.retry_after));
}

// Returning false ends the stream.
bool Reflector::take_event(std::string_view line) {
  last_contact_ = Clock::now();
  bool goes_on = true, is_event = true;
  const auto take = [&](std::string_view type, Json object, bool is_whole) {
    goes_on = take_event(type, object, is_whole);
  };
  try {
    is_event = reader_.event(line, take);
  } catch (...) {
    report_exception("(in an unreadable event)");
  }
  if (!is_event)
    listener_.troubled(fmt::format("watching {}: ignored an event that is not valid JSON", served_.plural));
  return goes_on && !known_.wants_list() && !wants_list_of_stale();
}

bool Reflector::take_event(std::string_view type, Json object, bool is_whole) {
  if (type == "ERROR") return take_error(object);
  if (type == "DELETED")
    take_deletion(object);
  else if (!is_whole)
    keep_unreadable(object, "watching");
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
    listener_.troubled(fmt::format("cannot watch {}: {}", served_.plural, text_at(status, "message")));
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
  if (is_news) tell_changed(object, key, version);
}

// If the listener throws, only this object is affected; the listener keeps its previous state.
void Reflector::tell_changed(Json object, const std::string& key, std::uint64_t version) {
  try {
    listener_.changed(object);
  } catch (...) {
    known_.forget_version(key, version);
    report_exception(key);
  }
}

// If the listener throws, the deletion is reported again with the next list.
void Reflector::tell_gone(const std::string& ns, const std::string& name) {
  try {
    listener_.gone(ns, name);
  } catch (...) {
    known_.take(ns + "/" + name, 0);
    report_exception(ns + "/" + name);
  }
}

// REQUIRES: called in a catch block.
void Reflector::report_exception(const std::string& key) {
  is_stale_ = true;
  listener_.troubled(fmt::format("{} {}: cannot be processed; its previous state is kept: {}", served_.kind,
                                 key, text_of_exception(std::current_exception())));
}

// After a failed event the objects are listed again, at first immediately, then with growing waits.
bool Reflector::wants_list_of_stale() const { return is_stale_ && Clock::now() >= may_list_stale_; }

void Reflector::take_deletion(Json object) {
  const auto metadata = part_at(object, "metadata");
  if (!metadata) return;
  const std::string ns(text_at(*metadata, "namespace")), name(text_at(*metadata, "name"));
  if (known_.take_deletion(key_of(*metadata), kube::version_of(*metadata))) tell_gone(ns, name);
}

void Reflector::saw(std::string_view text, Tell tell) {
  Json root;
  const bool is_ours = reader_.object(text, root) && text_at(root, "kind") == served_.kind;
  const auto metadata = is_ours ? part_at(root, "metadata") : std::nullopt;
  if (!metadata) return;
  // An unknown object with a version that the watch has already passed has been deleted since.
  const std::string key = key_of(*metadata);
  if (tell == Tell::kEvenIfKnown) known_.forget_version(key, kube::version_of(*metadata));
  if (known_.contains(key) || kube::version_of(*metadata) > version_number(version_))
    take_object(root, false);
}

}  // namespace muster::kube
