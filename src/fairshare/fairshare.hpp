// Fair share: how a total is divided between queues by quota, priority, weight and past use.
// Pure arithmetic over one resource at one level of a tree; docs/spec: fairshare.md 4.
#pragma once

#include <cstdint>
#include <span>

namespace muster::fairshare {

inline constexpr double kUnlimited = -1;

struct Member {
  double deserved = 0;  // quota; kUnlimited: the whole total
  double limit = kUnlimited;
  double weight = 0;   // share of what quotas leave
  double request = 0;  // held and wanted
  double usage = 0;    // past use, as a share of the capacity
  std::int32_t priority = 100;
  std::uint32_t seniority = 0;  // place by creation time, then uid; decides between equal fractions
  double share = 0;             // in: what it has already; out: its fair share
};

// What the member could use at most.
double requestable(const Member& m);
// What the queue may hold by share and limit; kUnlimited: no bound.
double allocatable(double deserved, double limit, double share);

// Divides `total`; `k` weighs past use (0: ignored). Returns what nobody could use.
//
// Members come in any order: where each has its own seniority, the shares are the same to the last bit.
// Quotas are given in full even where they sum to more than the total, and a rounding leftover may lift a
// member past its request or limit by less than one unit.
double divide(double total, double k, std::span<Member> members);

}  // namespace muster::fairshare
