// Past use as observed by muster itself, kept in a ConfigMap across restarts.
#pragma once

#include <optional>
#include <string>

#include "serve/usage/usage_source.hpp"
#include "serve/write/write_parts.hpp"
#include "usage/history.hpp"

namespace muster::serve {

class EmbeddedSource final : public UsageSource {
 public:
  // REQUIRES: the settings outlive the source.
  EmbeddedSource(const WriteServices& parts, const UsageSettings& settings, std::string ns, std::string name);

  // The first successful call reads the stored history; later calls save it.
  kube::Async<UsageAnswer> refresh(TimePoint now) override;
  void saw(const Cluster& cluster, TimePoint now) override;
  kube::Async<void> finish() override;

 private:
  // The resources in use since the last cycle.
  struct Current {
    TimePoint since;
    QueueUsage held;
    UsageAmounts capacity;
  };

  // Both return the problem, or "" on success.
  kube::Async<std::string> load();
  kube::Async<std::string> save();
  void take(const std::string& config_map);
  void count_until(TimePoint now);

  const WriteServices p_;
  const std::string ns_, name_;
  UsageHistory history_;
  std::optional<Current> current_;
  bool is_loaded_ = false;
};

}  // namespace muster::serve
