// Takes the Lease when it is free, renews it in time, and steps down before others may take it.
#include "kube/elector.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "kube/json.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"

namespace muster::kube {
namespace {

using std::chrono::milliseconds;

constexpr auto kTimeout = milliseconds(4'000);

// The current time in the MicroTime format of Kubernetes.
std::string now_text() {
  const auto now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  const auto whole = std::chrono::floor<std::chrono::seconds>(now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(whole)),
                     (now - whole).count());
}

}  // namespace

std::string make_identity() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::random_device random;
  const auto word = [&] { return random() & 0xFFFFU; };
  return fmt::format("{}_{:04x}{:04x}-{:04x}-4{:03x}-{:04x}-{:04x}{:04x}{:04x}", host, word(), word(), word(),
                     word() & 0xFFFU, 0x8000U | (word() & 0x3FFFU), word(), word(), word());
}

std::string Elector::path() const { return resources::kLeases.path(options_.ns, options_.name); }

Async<void> Elector::run() {
  Loop& loop = client_.loop();
  while (!loop.stopping()) {
    const auto sent = Clock::now();
    const bool holds = co_await try_to_hold();
    if (holds) {
      renewed_ = sent;
      is_leader_ = true;
      listener_.won();
      spawn(give_up_in_time(), "stepping down in time", TaskKind::kEssential);
      co_await lead();
      co_return;
    }
    co_await loop.sleep(wait_as_standby());
  }
}

// Renews the lease until this replica is no longer the leader.
Async<void> Elector::lead() {
  Loop& loop = client_.loop();
  while (is_leader_) {
    co_await loop.sleep(options_.retry);
    if (!is_leader_ || loop.stopping()) co_return;
    const auto sent = Clock::now();
    const bool renewed = co_await try_to_hold();
    if (renewed) renewed_ = sent;
    const bool taken =
        !renewed && record_.exists && record_.holder != options_.identity && !record_.holder.empty();
    if (taken) lose();
  }
}

// Steps down before others may take the lease, even if a renewal hangs.
Async<void> Elector::give_up_in_time() {
  Loop& loop = client_.loop();
  while (is_leader_ && !loop.stopping()) {
    const auto end = renewed_ + options_.renew_deadline;
    if (Clock::now() >= end) lose();
    co_await loop.sleep(end - Clock::now());
  }
}

void Elector::lose() {
  if (!is_leader_) return;
  is_leader_ = false;
  listener_.lost();
}

milliseconds Elector::wait_as_standby() const {
  if (!record_.exists || record_.holder.empty()) return milliseconds(200);
  const auto free_at = seen_ + std::chrono::seconds(record_.seconds);
  const auto left = std::chrono::ceil<milliseconds>(free_at - Clock::now()) + milliseconds(10);
  return std::clamp(left, milliseconds(100), options_.retry);
}

bool Elector::is_free() const {
  return !record_.exists || record_.holder.empty() || record_.holder == options_.identity ||
         Clock::now() >= seen_ + std::chrono::seconds(record_.seconds);
}

Async<bool> Elector::try_to_hold() {
  if (!is_leader_) {
    const bool was_read = co_await read();
    if (!was_read || !is_free()) co_return false;
  }
  const bool written = co_await write(!record_.exists);
  if (written) co_return true;
  if (is_leader_) co_await read();  // the version may have changed; the next attempt uses the new one
  co_return false;
}

Async<bool> Elector::read() {
  ApiRequest request{.path = path(), .lane = Lane::kUrgent, .timeout = kTimeout};
  const HttpResponse answer = co_await client_.send(std::move(request));
  if (answer.status == 404) record_ = {};
  if (answer.ok()) take(answer.body);
  if (!answer.ok() && answer.status != 404) listener_.troubled("cannot read the lease: " + describe(answer));
  co_return answer.ok() || answer.status == 404;
}

void Elector::take(std::string_view text) {
  simdjson::dom::parser parser;
  Json root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return;
  const auto metadata = part_at(root, "metadata"), spec = part_at(root, "spec");
  if (!metadata) return;
  Record record{.version = std::string(text_at(*metadata, "resourceVersion")), .exists = true};
  if (spec) {
    record.holder = text_at(*spec, "holderIdentity");
    record.renewed = text_at(*spec, "renewTime");
    record.acquired = text_at(*spec, "acquireTime");
    record.seconds = number_at(*spec, "leaseDurationSeconds").value_or(0);
    record.transitions = number_at(*spec, "leaseTransitions").value_or(0);
  }
  if (!record_.exists || record.holder != record_.holder || record.renewed != record_.renewed)
    seen_ = Clock::now();
  record_ = std::move(record);
}

Async<bool> Elector::write(bool create) {
  const std::string now = now_text();
  const bool is_ours = record_.holder == options_.identity;
  nlohmann::json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                          {"kind", "Lease"},
                          {"metadata", {{"name", options_.name}, {"namespace", options_.ns}}},
                          {"spec",
                           {{"holderIdentity", options_.identity},
                            {"leaseDurationSeconds", options_.duration.count()},
                            {"acquireTime", is_ours && !record_.acquired.empty() ? record_.acquired : now},
                            {"renewTime", now},
                            {"leaseTransitions", record_.transitions + (is_ours || create ? 0 : 1)}}}};
  if (!create) lease["metadata"]["resourceVersion"] = record_.version;
  ApiRequest request{.method = create ? "POST" : "PUT",
                     .path = create ? resources::kLeases.path(options_.ns) : path(),
                     .body = json_text(lease),
                     .lane = Lane::kUrgent,
                     .timeout = kTimeout};
  const HttpResponse answer = co_await client_.send(std::move(request));
  if (answer.ok()) take(answer.body);
  if (!answer.ok() && answer.status != 409) listener_.troubled("cannot write the lease: " + describe(answer));
  co_return answer.ok();
}

Async<void> Elector::release() {
  if (!is_leader_) co_return;
  is_leader_ = false;
  const bool is_released = co_await write_release();
  if (is_released) co_return;
  // A renewal was in flight and has changed the version.
  const bool was_read = co_await read();
  if (was_read && record_.holder == options_.identity) co_await write_release();
}

Async<bool> Elector::write_release() {
  const nlohmann::json lease = {
      {"apiVersion", "coordination.k8s.io/v1"},
      {"kind", "Lease"},
      {"metadata",
       {{"name", options_.name}, {"namespace", options_.ns}, {"resourceVersion", record_.version}}},
      {"spec",
       {{"holderIdentity", ""},
        {"leaseDurationSeconds", 1},
        {"renewTime", now_text()},
        {"leaseTransitions", record_.transitions}}}};
  ApiRequest request{
      .method = "PUT", .path = path(), .body = json_text(lease), .lane = Lane::kUrgent, .timeout = kTimeout};
  const HttpResponse answer = co_await client_.send(std::move(request));
  co_return answer.ok();
}

}  // namespace muster::kube
