// Counts along the job's tree, less the tasks that were taken.
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

absl::InlinedVector<Member, 8> GangView::ordered_members(const GroupSet& set) const {
  absl::InlinedVector<Member, 8> members(set.members.begin(), set.members.end());
  if (members.size() < 2) return members;
  const auto name = [&](const Member& m) -> const std::string& {
    return m.is_pod_set ? job_.pod_sets[m.at].name : job_.sets[m.at].name;
  };
  std::sort(members.begin(), members.end(), [&](const Member& a, const Member& b) {
    const int order = session_.hooks.sub_group_order(side(a), side(b));
    return order != 0 ? order < 0 : name(a) < name(b);
  });
  return members;
}

}  // namespace muster
