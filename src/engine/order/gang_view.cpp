// Counts over the job's tree, minus the tasks that were taken.
#include "engine/order/gang_view.hpp"

#include <algorithm>

namespace muster {

std::int32_t GangView::active() const {
  std::int32_t sum = 0;
  for (std::uint32_t p = 0; p < job_.pod_sets.size(); ++p) sum += active(p);
  return sum;
}

bool GangView::is_satisfied(const Member& m) const {
  if (m.is_pod_set) return active(m.at) >= job_.pod_sets[m.at].minimum;
  return satisfied_members(job_.sets[m.at]) >= job_.sets[m.at].required();
}

std::int32_t GangView::satisfied_members(const GroupSet& set) const {
  std::int32_t count = 0;
  for (const Member& m : set.members) count += is_satisfied(m);
  return count;
}

ElasticState GangView::elastic_state() const {
  ElasticState state = ElasticState::kExact;
  for (std::uint32_t p = 0; p < job_.pod_sets.size(); ++p) {
    if (active(p) < job_.pod_sets[p].minimum) return ElasticState::kBelow;
    if (active(p) > job_.pod_sets[p].minimum) state = ElasticState::kAbove;
  }
  return state;
}

SubGroupSide GangView::side(const Member& m) const {
  if (m.is_pod_set) return {active(m.at), job_.pod_sets[m.at].minimum};
  return {satisfied_members(job_.sets[m.at]), job_.sets[m.at].required()};
}

GangView::RankedMembers GangView::ranked(std::span<const Member> members) const {
  RankedMembers ranked;
  for (const Member& m : members)
    ranked.push_back({side(m), m.is_pod_set ? &job_.pod_sets[m.at].name : &job_.sets[m.at].name, m});
  return ranked;
}

bool GangView::is_before(const Ranked& a, const Ranked& b) const {
  const int order = session_.hooks.sub_group_order(a.side, b.side);
  return order != 0 ? order < 0 : *a.name < *b.name;
}

absl::InlinedVector<Member, 8> GangView::ordered_members(std::span<const Member> given) const {
  absl::InlinedVector<Member, 8> members(given.begin(), given.end());
  if (members.size() < 2) return members;
  RankedMembers all = ranked(given);
  std::sort(all.begin(), all.end(), [&](const Ranked& a, const Ranked& b) { return is_before(a, b); });
  std::ranges::transform(all, members.begin(), &Ranked::member);
  return members;
}

}  // namespace muster
