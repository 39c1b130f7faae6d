// Computes how long a refused job waits, and defines the plugin that enforces it.
#include "plugins/refused_jobs.hpp"

#include <algorithm>
#include <utility>

#include "engine/cycle/hooks.hpp"
#include "engine/cycle/session.hpp"

namespace muster::plugins {
namespace {

constexpr std::chrono::seconds kFirstWait(1), kLongestWait(300);
// A job that is not refused again for this long starts over with the first wait.
constexpr auto kForgiven = 2 * kLongestWait;

class Patience final : public Plugin {
 public:
  explicit Patience(const RefusedJobs::Refusals& jobs) : jobs_(jobs) {}

  void open(Session& session, Hooks& hooks) override {
    if (jobs_.empty()) return;
    for (auto* hook : {&hooks.before_placing, &hooks.hopeless})
      hook->add([this, &session](TaskId task) { return refusal_of(session, task); });
  }

 private:
  std::optional<JobReason> refusal_of(const Session& session, TaskId task) const {
    const JobId job = session.cluster.task(task).job;
    const auto found = jobs_.find(session.cluster.job(job).full_name());
    if (found == jobs_.end() || !found->second.holds(session.now)) return std::nullopt;
    const RefusedJobs::Refusal& refusal = found->second;
    return JobReason{
        .rule = JobRule::kBindRefused, .name = refusal.why, .of = refusal.pod, .until = refusal.until};
  }

  const RefusedJobs::Refusals& jobs_;
};

}  // namespace

void RefusedJobs::add(const std::string& job, std::string pod, std::string why, TimePoint now) {
  Refusal& refusal = refusals_[job];
  if (refusal.holds(now)) return;
  refusal.wait = refusal.wait.count() == 0 ? kFirstWait : std::min(2 * refusal.wait, kLongestWait);
  refusal.pod = std::move(pod);
  refusal.why = std::move(why);
  refusal.since = now;
  refusal.until = now + refusal.wait;
}

void RefusedJobs::publish(TimePoint now) {
  absl::erase_if(refusals_, [&](const auto& item) { return now >= item.second.until + kForgiven; });
  if (!refusals_.empty() || !published_.empty()) published_ = refusals_;
}

PluginFactory refused_jobs_plugin(const RefusedJobs& jobs) {
  return {.name = "refusedbinds", .make = [&jobs] { return std::make_unique<Patience>(jobs.published()); }};
}

PluginFactory recorded_refused_jobs_plugin(RefusedJobs::Refusals seen) {
  const auto kept = std::make_shared<const RefusedJobs::Refusals>(std::move(seen));
  return {.name = "refusedbinds", .make = [kept] { return std::make_unique<Patience>(*kept); }};
}

}  // namespace muster::plugins
