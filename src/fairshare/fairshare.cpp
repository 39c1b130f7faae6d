// The division in three steps: quotas, then weights within one priority after the other, then the roundings.
#include "fairshare/fairshare.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace muster::fairshare {
namespace {

// A member while it is being served.
struct Claim {
  Member* member;
  double most;          // requestable
  double pull = 0;      // relative to the other pulls of the round; 0 once satisfied
  double fraction = 0;  // what rounding down kept from it

  double want() const { return most - member->share; }
};

// Sums of doubles depend on their order, so there is one: priorities from the top, within each by seniority.
bool served_before(const Claim& a, const Claim& b) {
  if (a.member->priority != b.member->priority) return a.member->priority > b.member->priority;
  if (a.member->seniority != b.member->seniority) return a.member->seniority < b.member->seniority;
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

// Returns what the quotas leave: below zero where they sum to more than the total.
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

// Sets every pull and returns their sum, 0 if nobody wants or may have more. Past use counts against the
// weight: k = 1, weights equal, past use 0.6 and 0.2: pulls 0.4 and 0.8.
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

// The part of `share` that is given now: all that is wanted, or whole units with the rest on record.
double grant(double share, Claim& c) {
  const double want = c.want();
  if (want <= share) {
    c.fraction = 0;
    return want;
  }
  const double whole = std::floor(share);
  // A share without fraction leaves the record of an earlier round as it is.
  if (share - whole > 0) c.fraction = share - whole;
  return whole;
}

// Rounds, as long as someone wanted less than its share and the others can have the difference. All shares of
// a round are parts of what was there at its start.
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

// One unit, or what is left of one, to each whose share was rounded down: the largest fraction first. Neither
// request nor limit holds it back.
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
  // Not before every priority had its turn: what the upper ones lost to rounding, a lower one may have taken.
  for_each_priority(claims, [&](std::span<Claim> same) {
    if (left > 0) left = give_roundings(left, same);
  });
  return std::max(left, 0.0);
}

}  // namespace muster::fairshare
