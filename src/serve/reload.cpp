// When the configuration file is read again, and who is told what came of it.
#include "serve/reload.hpp"

#include <fmt/format.h>

#include "kube/credentials.hpp"
#include "serve/leadership.hpp"
#include "serve/parts.hpp"

namespace muster::serve {
namespace {

constexpr auto kBetweenLooksAtFiles = std::chrono::seconds(2);

}  // namespace

Reload::Reload(Parts& parts, Adopt adopt) : p_(parts), adopt_(std::move(adopt)) {
  if (p_.options.configuration.path.empty()) return;
  if (auto held = kube::content_of(p_.options.configuration.path)) seen_ = std::move(*held);
}

kube::Async<void> Reload::run() {
  if (p_.options.configuration.path.empty()) co_return;
  for (bool goes_on = true; goes_on;) {
    goes_on = co_await p_.loop.sleep(kBetweenLooksAtFiles);
    if (goes_on) look();
  }
}

// A file that is not there for a moment is about to be put in place.
void Reload::look() {
  auto held = kube::content_of(p_.options.configuration.path);
  if (!held) return p_.log.repeated_warning("configuration: " + held.error().text());
  if (*held == seen_) return;
  seen_ = std::move(*held);
  ConfigurationRead read = p_.options.configuration.read();
  if (read.errors.empty())
    take(std::move(read));
  else
    refuse(read);
}

void Reload::refuse(const ConfigurationRead& read) {
  p_.metrics.reloaded(false);
  for (const std::string& error : read.errors) p_.log.error("configuration not taken over: " + error);
  tell(true, "ConfigurationRefused",
       fmt::format("{}; the configuration before it stays in force", fmt::join(read.errors, "; ")));
}

void Reload::take(ConfigurationRead read) {
  p_.metrics.reloaded(true);
  for (const std::string& warning : read.warnings) p_.log.warning("configuration: " + warning);
  std::string message = "the changed configuration is in force";
  if (!read.after_restart.empty())
    message += fmt::format("; only after a restart: {}", fmt::join(read.after_restart, ", "));
  p_.log.info(message);
  tell(!read.after_restart.empty(), "ConfigurationReloaded", message);
  adopt_(std::move(read));
}

// Only the leader writes; each replica logs and counts for itself.
void Reload::tell(bool is_warning, const std::string& reason, const std::string& message) {
  if (!p_.vitals.is_leader) return;
  p_.events.record(
      {.about = lease_reference(p_.options), .is_warning = is_warning, .reason = reason, .message = message});
}

}  // namespace muster::serve
