// Divides in three steps: quotas, then weights within each priority in turn, then the units lost to rounding.
#include "fairshare/fairshare.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::fairshare {
namespace {

// The state of a member during the division.
struct Claim {
  Member* member;
  double most;          // requestable
  double pull = 0;      // relative to the other pulls of the round; 0 once satisfied
  double fraction = 0;  // lost when its share was rounded down

  double want() const { return most - member->share; }
};

// The order of summation is fixed because it affects sums of doubles: by descending priority, then by
// age_order.
bool served_before(const Claim& a, const Claim& b) {
  if (a.member->priority != b.member->priority) return a.member->priority > b.member->priority;
  if (a.member->age_order != b.member->age_order) return a.member->age_order < b.member->age_order;
  return a.member < b.member;
}

std::vector<Claim> in_serving_order(std::span<Member> members) {
  std::vector<Claim> claims;
  claims.reserve(members.size());
  for (Member& m : members) claims.push_back({.member = &m, .most = requestable(m)});
  if (!std::is_sorted(claims.begin(), claims.end(), served_before))
    std::sort(claims.begin(), claims.end(), served_before);
  return claims;
}

// Returns what the quotas leave; negative if they sum to more than the total.
double give_quotas(double total, std::span<const Claim> claims) {
  double left = total;
  for (const Claim& c : claims) {
    const double quota = c.member->deserved == kUnlimited ? total : c.member->deserved;
    const double give = std::min(quota, c.most);
    c.member->share += give;
    left -= give;
  }
  return left;
}

// Calls serve(claims of one priority), highest priority first.
template <class Serve>
void for_each_priority(std::span<Claim> claims, Serve&& serve) {
  for (std::size_t begin = 0, end = 0; begin < claims.size(); begin = end) {
    const auto priority = claims[begin].member->priority;
    while (end < claims.size() && claims[end].member->priority == priority) ++end;
    serve(claims.subspan(begin, end - begin));
  }
}

// Sets every pull and returns their sum, which is 0 if no member can receive more. Past use reduces the
// weight: with k = 1, equal weights and past use 0.6 and 0.2, the pulls are 0.4 and 0.8.
double weigh(double k, std::span<Claim> claims) {
  double weights = 0;
  for (const Claim& c : claims)
    if (c.want() > 0) weights += c.member->weight;
  double pulls = 0;
  for (Claim& c : claims) {
    c.pull = 0;
    if (weights == 0 || c.want() <= 0) continue;
    const double weight = c.member->weight / weights;
    c.pull = std::max(0.0, weight + k * (weight - c.member->usage));
    pulls += c.pull;
  }
  return pulls;
}

// The part of `share` that is granted now: the whole remaining request, or whole units while the fraction is
// recorded.
double grant(double share, Claim& c) {
  const double want = c.want();
  if (want <= share) {
    c.fraction = 0;
    return want;
  }
  const double whole = std::floor(share);
  // A share without a fraction keeps the fraction recorded in an earlier round.
  if (share - whole > 0) c.fraction = share - whole;
  return whole;
}

// Repeats rounds while a member needs less than its share, so that others can have the difference. All shares
// of a round are parts of the amount available at its start.
double give_by_weight(double available, double k, std::span<Claim> claims) {
  for (bool again = true; again && available > 0;) {
    again = false;
    const double at_start = available;
    const double pulls = weigh(k, claims);
    if (pulls == 0) break;
    for (Claim& c : claims) {
      if (available == 0) break;
      if (c.want() <= 0 || c.member->weight == 0) continue;
      const double share = at_start * (c.pull / pulls);
      const bool wants_less = c.want() < share;
      const double give = grant(share, c);
      if (give == 0) continue;
      c.member->share += give;
      available -= give;
      again |= wants_less;
    }
  }
  return available;
}

// Gives one unit, or the rest of one, to each member whose share was rounded down, the largest fraction
// first. Requests and limits do not apply here.
double give_roundings(double left, std::span<Claim> claims) {
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    return a.fraction != b.fraction ? a.fraction > b.fraction : served_before(a, b);
  });
  for (const Claim& c : claims) {
    if (left == 0 || c.fraction == 0) break;
    const double give = std::min(1.0, left);
    c.member->share += give;
    left -= give;
  }
  return left;
}

}  // namespace

double requestable(const Member& m) {
  return m.limit == kUnlimited ? m.request : std::min(m.limit, m.request);
}

double allocatable(double deserved, double limit, double share) {
  if (deserved == kUnlimited) return limit;
  const double entitled = std::max(deserved, share);
  return limit == kUnlimited ? entitled : std::min(limit, entitled);
}

double divide(double total, double k, std::span<Member> members) {
  std::vector<Claim> claims = in_serving_order(members);
  double left = give_quotas(total, claims);
  if (left <= 0) return 0;
  for_each_priority(claims, [&](std::span<Claim> same) { left = give_by_weight(left, k, same); });
  // Runs after all priorities have been served: what higher ones lost to rounding may have gone to a lower
  // one.
  for_each_priority(claims, [&](std::span<Claim> same) {
    if (left > 0) left = give_roundings(left, same);
  });
  return std::max(left, 0.0);
}

}  // namespace muster::fairshare
