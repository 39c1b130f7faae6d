// Logs differences and updates the metrics.
#include "serve/check/shadow.hpp"

#include <fmt/format.h>

#include "kube/clock.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/read/live_source.hpp"

namespace muster::serve {

void Shadow::decided(const Decisions& decisions, TimePoint now) {
  ledger_.decided(cluster_, decisions, now);
  report();
}

void Shadow::placed_by_other(const RivalDecision& act) {
  ledger_.placed_by_other(cluster_, {act.ns, act.name, act.uid, act.node}, kube::wall_clock());
  report();
}

void Shadow::report() {
  const ShadowLedger::Counts& counts = ledger_.counts();
  metrics_.shadowed({{"agreed", counts.agreed},
                     {"differ", counts.differs},
                     {"left_waiting", counts.left_waiting},
                     {"unseen", counts.unseen}},
                    counts.agreement_percent());
  for (const ShadowLedger::Difference& difference : ledger_.take_news())
    log_.info("shadow: first difference for a job",
              {{"job", difference.job},
               {"pod", difference.pod},
               {"other", difference.other},
               {"muster", difference.muster},
               {"agreement", fmt::format("{:.1f} %", counts.agreement_percent())}});
}

}  // namespace muster::serve
