// Fair share: divides a total between queues by quota, priority, weight and past use. Pure arithmetic over
// one resource at one level of a tree; docs/kai/fairshare.md 4.
#pragma once

#include <cstdint>
#include <span>

namespace muster::fairshare {

inline constexpr double kUnlimited = -1;

struct Member {
  double deserved = 0;  // quota; kUnlimited: the whole total
  double limit = kUnlimited;
  double weight = 0;   // share of the rest beyond the quotas
  double request = 0;  // in use and pending
  double usage = 0;    // past use, as a share of the capacity
  std::int32_t priority = 100;
  std::uint32_t age_order = 0;  // order by creation time, then uid; decides between equal fractions
  double share = 0;             // in: what it already has; out: its fair share
};

// The most that the member can use.
double requestable(const Member& m);
// The most that the queue may have in use by share and limit; kUnlimited: no bound.
double allocatable(double deserved, double limit, double share);

// Divides `total`; `k` weighs past use (0: ignored). Returns what no member could use.
//
// Members may be in any order: if each has its own age_order, the shares are the same to the last bit. Quotas
// are given in full even if they sum to more than the total. A rounding leftover may lift a member above its
// request or limit by less than one unit.
double divide(double total, double k, std::span<Member> members);

}  // namespace muster::fairshare
