// A job seen without some of its active tasks: the state of its groups after victims were taken. With none
// taken it is the live job.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <limits>
#include <span>

#include "engine/cycle/session.hpp"

namespace muster {

class GangView {
 public:
  // `taken`: number of active tasks missing from each pod set; empty: none.
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
  absl::InlinedVector<Member, 8> ordered_members(std::span<const Member> members) const;
  // The first member, or backwards the last, for which the predicate holds. Sorts only as far as needed.
  enum class Way : std::uint8_t { kForwards, kBackwards };
  template <class Claim>
  bool any_in_order(const GroupSet& set, Way way, const Claim& claim) const;
  // The number of tasks of a pod set that are tried together.
  std::int32_t wanted(std::uint32_t pod_set) const {
    return std::max(1, job_.pod_sets[pod_set].minimum - active(pod_set));
  }
  // Calls take(pod set) for the pod sets to try next: all that a gang lacks at once, or else the first one
  // that has a task. take() returns whether the pod set had tasks. actions.md 3.3.
  template <class Take>
  bool take_next(const Member& member, const Take& take) const;
  // Likewise. If not all members are needed, members that can be completed come first. waiting(pod set)
  // returns how many tasks can be taken.
  template <class Take, class Waiting>
  bool take_next(const Member& member, const Take& take, const Waiting& waiting) const;

 private:
  using Members = absl::InlinedVector<Member, 8>;
  template <class Waiting>
  bool could_be_whole(const Member& member, const Waiting& waiting) const;
  SubGroupSide side(const Member& m) const;
  struct Ranked {
    SubGroupSide side;
    const std::string* name;
    Member member;
  };
  using RankedMembers = absl::InlinedVector<Ranked, 8>;
  RankedMembers ranked(std::span<const Member> members) const;
  bool is_before(const Ranked& a, const Ranked& b) const;

  const Session& session_;
  const Job& job_;
  std::span<const std::int32_t> taken_;
};

template <class Take>
bool GangView::take_next(const Member& member, const Take& take) const {
  return take_next(member, take, [](std::uint32_t) { return std::numeric_limits<std::int32_t>::max() / 2; });
}

template <class Take, class Waiting>
bool GangView::take_next(const Member& member, const Take& take, const Waiting& waiting) const {
  if (member.is_pod_set) return take(member.at);
  const GroupSet& set = job_.sets[member.at];
  if (is_satisfied(member))
    return any_in_order(set, Way::kForwards, [&](const Member& m) { return take_next(m, take, waiting); });
  Members members = ordered_members(set.members);
  if (set.required() < std::ssize(members))
    std::stable_partition(members.begin(), members.end(),
                          [&](const Member& m) { return could_be_whole(m, waiting); });
  bool took = false;
  for (std::size_t i = 0; i < members.size() && static_cast<std::int32_t>(i) < set.required(); ++i)
    if (!is_satisfied(members[i])) took = take_next(members[i], take, waiting) || took;
  return took;
}

template <class Claim>
bool GangView::any_in_order(const GroupSet& set, Way way, const Claim& claim) const {
  RankedMembers heap = ranked(set.members);
  const auto comes_later = [&](const Ranked& a, const Ranked& b) {
    return way == Way::kForwards ? is_before(b, a) : is_before(a, b);
  };
  std::make_heap(heap.begin(), heap.end(), comes_later);
  for (; !heap.empty(); heap.pop_back()) {
    std::pop_heap(heap.begin(), heap.end(), comes_later);
    if (claim(heap.back().member)) return true;
  }
  return false;
}

template <class Waiting>
bool GangView::could_be_whole(const Member& m, const Waiting& waiting) const {
  if (m.is_pod_set) return active(m.at) + waiting(m.at) >= job_.pod_sets[m.at].minimum;
  const auto& members = job_.sets[m.at].members;
  return std::ranges::count_if(members, [&](const Member& kid) { return could_be_whole(kid, waiting); }) >=
         job_.sets[m.at].required();
}

}  // namespace muster
