// Past use as we have seen it ourselves, kept in a ConfigMap over restarts.
#pragma once

#include <optional>
#include <string>

#include "serve/usage/usage_source.hpp"
#include "serve/write/write_parts.hpp"
#include "usage/history.hpp"

namespace muster::serve {

class EmbeddedSource final : public UsageSource {
 public:
  // The settings outlive it.
  EmbeddedSource(const WriteParts& parts, const UsageSettings& settings, std::string ns, std::string name);

  // First reads what was kept; afterwards keeps what there is.
  kube::Async<UsageAnswer> refresh(TimePoint now) override;
  void saw(const Cluster& cluster, TimePoint now) override;
  kube::Async<void> finish() override;

 private:
  // What was held since.
  struct Stand {
    TimePoint since;
    QueueUsage held;
    UsageAmounts capacity;
  };

  // Both: "", or what went wrong.
  kube::Async<std::string> load();
  kube::Async<std::string> save();
  void take(const std::string& config_map);
  void count_until(TimePoint now);

  const WriteParts p_;
  const std::string ns_, name_;
  UsageHistory history_;
  std::optional<Stand> stand_;
  bool is_loaded_ = false;
};

}  // namespace muster::serve
