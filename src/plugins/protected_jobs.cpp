// A plugin of the policy that excludes protected jobs from the victims.
#include "plugins/protected_jobs.hpp"

#include "engine/cycle/hooks.hpp"
#include "engine/cycle/session.hpp"

namespace muster::plugins {
namespace {

class Protection final : public Plugin {
 public:
  explicit Protection(const ProtectedJobs& jobs) : jobs_(jobs) {}
  void open(Session& session, Hooks& hooks) override {
    if (jobs_.empty()) return;
    const auto refusal = [this, &session](JobId victim) -> std::optional<VictimRefusal> {
      const auto* found = jobs_.of(session.cluster.job(victim).full_name(), session.now);
      if (found == nullptr) return std::nullopt;
      return VictimRefusal{.rule = found->rule, .until = std::nullopt};
    };
    for (auto* hook : {&hooks.reclaim_victim, &hooks.preempt_victim, &hooks.consolidation_victim})
      hook->add([refusal](JobId, JobId victim) { return refusal(victim); });
    hooks.stale_victim.add(refusal);
  }

 private:
  const ProtectedJobs& jobs_;
};

}  // namespace

std::string_view protection_rule(std::string_view text) {
  return text == kWithoutCooldown ? kWithoutCooldown : kByBudget;
}

PluginFactory protected_jobs_plugin(const ProtectedJobs& jobs) {
  return {.name = "disruptionbudgets", .make = [&jobs] { return std::make_unique<Protection>(jobs); }};
}

PluginFactory recorded_protected_jobs_plugin(ProtectedJobs seen) {
  const auto kept = std::make_shared<const ProtectedJobs>(std::move(seen));
  return {.name = "disruptionbudgets", .make = [kept] { return std::make_unique<Protection>(*kept); }};
}

}  // namespace muster::plugins
