// Rereads a changed configuration file and reports the outcome.
#include "serve/reload.hpp"

#include <fmt/format.h>

#include "kube/credentials.hpp"
#include "serve/leadership.hpp"
#include "serve/parts.hpp"

namespace muster::serve {
namespace {

constexpr auto kFilePollInterval = std::chrono::seconds(2);

}  // namespace

Reload::Reload(Services& parts, Adopt adopt) : p_(parts), adopt_(std::move(adopt)) {
  if (p_.options.configuration.path.empty()) return;
  if (auto content = kube::content_of(p_.options.configuration.path)) seen_ = std::move(*content);
}

kube::Async<void> Reload::run() {
  if (p_.options.configuration.path.empty()) co_return;
  for (bool goes_on = true; goes_on;) {
    goes_on = co_await p_.loop.sleep(kFilePollInterval);
    if (goes_on) check();
  }
}

// A missing file is only warned about: it may be about to be replaced.
void Reload::check() {
  auto content = kube::content_of(p_.options.configuration.path);
  if (!content) return p_.log.repeated_warning("configuration: " + content.error().text());
  if (*content == seen_) return;
  seen_ = std::move(*content);
  ConfigurationRead read = p_.options.configuration.read();
  if (read.errors.empty())
    take(std::move(read));
  else
    refuse(read);
}

void Reload::refuse(const ConfigurationRead& read) {
  p_.metrics.reloaded(false);
  for (const std::string& error : read.errors) p_.log.error("configuration rejected: " + error);
  record_event(true, "ConfigurationRefused",
               fmt::format("{}; the previous configuration remains in effect", fmt::join(read.errors, "; ")));
}

void Reload::take(ConfigurationRead read) {
  p_.metrics.reloaded(true);
  for (const std::string& warning : read.warnings) p_.log.warning("configuration: " + warning);
  std::string message = "the changed configuration is in effect";
  if (!read.after_restart.empty())
    message += fmt::format("; a restart is required for: {}", fmt::join(read.after_restart, ", "));
  p_.log.info(message);
  record_event(!read.after_restart.empty(), "ConfigurationReloaded", message);
  adopt_(std::move(read));
}

// Only the leader writes events; every replica logs and counts.
void Reload::record_event(bool is_warning, const std::string& reason, const std::string& message) {
  if (!p_.vitals.is_leader) return;
  p_.events.record(
      {.about = lease_reference(p_.options), .is_warning = is_warning, .reason = reason, .message = message});
}

}  // namespace muster::serve
