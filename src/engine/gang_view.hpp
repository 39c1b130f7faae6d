// A job seen without some of its active tasks: how its groups stand when victims have been peeled off. Without any
// taken it is the live job.
#pragma once

#include <absl/container/inlined_vector.h>

#include <span>

#include "engine/session.hpp"

namespace muster {

class GangView {
 public:
  // `taken`: how many active tasks of each pod set are gone; empty: none.
  GangView(const Session& session, const Job& job, std::span<const std::int32_t> taken = {})
      : session_(session), job_(job), taken_(taken) {}

  std::int32_t active(std::uint32_t pod_set) const {
    return job_.pod_sets[pod_set].counts.active_allocated() - (taken_.empty() ? 0 : taken_[pod_set]);
  }
  std::int32_t active() const;
  bool is_satisfied(const Member& m) const;
  std::int32_t satisfied_members(const GroupSet& set) const;
  ElasticState elastic_state() const;
  // The members of a set in sub group order.
  absl::InlinedVector<Member, 8> ordered_members(const GroupSet& set) const;

 private:
  SubGroupSide side(const Member& m) const;

  const Session& session_;
  const Job& job_;
  std::span<const std::int32_t> taken_;
};

}  // namespace muster
