// Election, the preparations of a new leader, and the end of its leadership.
#include "serve/leadership.hpp"

#include "serve/parts.hpp"
#include "serve/write/default_queues.hpp"

namespace muster::serve {
namespace {

using kube::Clock;
using std::chrono::milliseconds;

constexpr auto kRestoreTimeout = std::chrono::seconds(10);

kube::ElectionOptions election_of(const DaemonOptions& options) {
  return {.ns = options.ns, .name = lease_name(options), .identity = kube::make_identity()};
}

}  // namespace

std::string lease_name(const DaemonOptions& options) {
  return options.scheduler_name + (options.node_pool.empty() ? "" : "-" + options.node_pool);
}

ObjectReference lease_reference(const DaemonOptions& options) {
  return {.api_version = "coordination.k8s.io/v1",
          .kind = "Lease",
          .ns = options.ns,
          .name = lease_name(options)};
}

Leadership::Leadership(Services& parts)
    : p_(parts), elector_(parts.client, election_of(parts.options), *this) {}

void Leadership::begin() {
  if (p_.options.shadow)
    watch_another();
  else if (p_.options.elects_leader)
    kube::spawn(elector_.run(), "electing a leader", kube::TaskKind::kEssential);
  else
    won();
}

// Acts like a leader but writes nothing.
void Leadership::watch_another() {
  p_.client.forbid_writes();
  p_.vitals.is_leader = true;
  knows_all_jobs_by_ = Clock::time_point::min();
  p_.usage.begin();
  p_.news.give();
}

void Leadership::won() {
  p_.log.info("leading");
  p_.vitals.is_leader = true;
  won_at_ = Clock::now();
  p_.metrics.leads(true);
  // The former leader may have written objects that the watch has not shown yet.
  if (p_.options.elects_leader) p_.source.list_again();
  p_.usage.begin();
  p_.news.give();
  kube::spawn(take_over(), "taking over the lead", kube::TaskKind::kEssential);
}

// Existing objects must be known first: queues, PriorityClasses, PodGroups.
kube::Async<void> Leadership::take_over() {
  while (!p_.source.is_synced() && !p_.loop.stopping()) co_await p_.loop.sleep(milliseconds(20));
  knows_all_jobs_by_ = Clock::now() + kRestoreTimeout;
  kube::spawn(make_default_queues(p_.write, p_.options.default_queues), "creating the default queues");
  p_.grouping.begin();
  while (p_.grouping.is_catching_up() && !p_.loop.stopping()) co_await p_.loop.sleep(milliseconds(20));
  knows_all_jobs_by_ = Clock::now();
  p_.news.give();
}

bool Leadership::may_act() const {
  return p_.vitals.is_leader && p_.source.is_synced() && !p_.vitals.is_draining &&
         Clock::now() >= knows_all_jobs_by_ && !p_.usage.is_awaited();
}

bool Leadership::leads_for(Clock::duration at_least) const {
  return p_.vitals.is_leader && Clock::now() - won_at_ >= at_least;
}

void Leadership::lost() {
  p_.vitals.is_leader = false;
  p_.metrics.leads(false);
  p_.client.forbid_writes();
  if (p_.vitals.is_draining) return;
  p_.log.error("the lease was lost; exiting");
  was_lost_ = true;
  p_.loop.stop();
}

void Leadership::troubled(const std::string& text) { p_.log.repeated_warning(text); }

kube::Async<void> Leadership::release() {
  if (p_.options.elects_leader) co_await elector_.release();
}

}  // namespace muster::serve
