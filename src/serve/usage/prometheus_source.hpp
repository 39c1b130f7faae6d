// Past use from Prometheus.
#pragma once

#include <map>
#include <string>

#include "kube/clock.hpp"
#include "kube/http.hpp"
#include "serve/usage/usage_source.hpp"
#include "usage/prometheus.hpp"

namespace muster::kube {
class Loop;
}

namespace muster::serve {

class PrometheusSource final : public UsageSource {
 public:
  // REQUIRES: the settings outlive the source.
  PrometheusSource(kube::Loop& loop, const UsageSettings& settings, std::string address, OwnMetrics own);

  // All queries together take at most `usageQueryTimeout`.
  kube::Async<UsageAnswer> refresh(TimePoint now) override;

 private:
  using Values = std::map<std::string, double>;
  struct Round;
  kube::Async<std::string> ask_all(Round* round);
  kube::Async<Result<Values>> ask(const Round* round, std::string query);
  std::string url_of(const Round& round, const std::string& query) const;

  kube::Loop& loop_;
  const UsageSettings& settings_;
  const std::string address_;
  const OwnMetrics own_;
  const kube::TlsIdentity system_authorities_;
};

}  // namespace muster::serve
