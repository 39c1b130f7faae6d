// Who may write: the replica that holds the lease, or the only one there is.
#pragma once

#include "kube/elector.hpp"
#include "serve/write/events.hpp"

namespace muster::serve {

struct DaemonOptions;
struct Parts;

// Of the lease that a leader holds, in the namespace of the options.
std::string lease_name(const DaemonOptions& options);
// The same for events.
ObjectReference lease_reference(const DaemonOptions& options);

class Leadership final : kube::ElectionListener {
 public:
  explicit Leadership(Parts& parts);

  // Stands for election; leads at once where there is none.
  void begin();
  // We lead, and know all that a decision depends on.
  bool may_act() const;
  // Lets another lead at once.
  kube::Async<void> release();
  bool was_lost() const { return was_lost_; }
  // Without a break.
  bool leads_for(kube::Clock::duration at_least) const;

 private:
  void won() override;
  void lost() override;
  void troubled(const std::string& text) override;
  kube::Async<void> take_over();
  void watch_another();

  Parts& p_;
  kube::Elector elector_;
  // Until then pods may lack the PodGroup that their use is charged to.
  kube::Clock::time_point knows_all_jobs_by_ = kube::Clock::time_point::max();
  kube::Clock::time_point won_at_{};
  bool was_lost_ = false;
};

}  // namespace muster::serve
