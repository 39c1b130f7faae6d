// Decides whether this replica may write: it holds the lease, or it is the only replica.
#pragma once

#include "kube/elector.hpp"
#include "serve/write/events.hpp"

namespace muster::serve {

struct DaemonOptions;
struct Services;

// The name of the leader's lease, in the namespace of the options.
std::string lease_name(const DaemonOptions& options);
// The lease as the object of an event.
ObjectReference lease_reference(const DaemonOptions& options);

class Leadership final : kube::ElectionListener {
 public:
  explicit Leadership(Services& parts);

  // Takes part in the election; leads at once if there is no election.
  void begin();
  // True if this replica leads and knows everything that a decision depends on.
  bool may_act() const;
  // Releases the lease so that another replica can lead at once.
  kube::Async<void> release();
  bool was_lost() const { return was_lost_; }
  // True if this replica has led without interruption for at least this long.
  bool leads_for(kube::Clock::duration at_least) const;

 private:
  void won() override;
  void lost() override;
  void troubled(const std::string& text) override;
  kube::Async<void> take_over();
  void watch_another();

  Services& p_;
  kube::Elector elector_;
  // Until this time, pods may still lack the PodGroup that their use is charged to.
  kube::Clock::time_point knows_all_jobs_by_ = kube::Clock::time_point::max();
  kube::Clock::time_point won_at_{};
  bool was_lost_ = false;
};

}  // namespace muster::serve
