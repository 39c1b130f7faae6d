// Shadow mode: compares what muster would do with another scheduler's decisions, and only reports it.
#pragma once

#include "serve/check/shadow_ledger.hpp"

namespace muster {
class Cluster;
struct Decisions;
}  // namespace muster

namespace muster::serve {

class Log;
class Metrics;
struct RivalDecision;

class Shadow {
 public:
  Shadow(const Cluster& cluster, Metrics& metrics, Log& log)
      : cluster_(cluster), metrics_(metrics), log_(log) {}

  void decided(const Decisions& decisions, TimePoint now);
  void placed_by_other(const RivalDecision& act);
  const ShadowLedger& ledger() const { return ledger_; }

 private:
  void report();

  const Cluster& cluster_;
  Metrics& metrics_;
  Log& log_;
  ShadowLedger ledger_;
};

}  // namespace muster::serve
