// Amounts of resources: integers in small units, so that addition and subtraction are exact.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/free_ids.hpp"
#include "util/id_vector.hpp"

namespace muster {

// Units: cpu in millicores, memory in bytes, gpu in thousandths of a device, pods in slots; the others as in
// objects.hpp.
using Kind = Id<struct KindTag>;
inline constexpr Kind kCpu{0}, kMemory{1}, kGpu{2}, kPods{3};
inline constexpr std::int64_t kOneGpu = 1000;

struct Amount {
  Kind kind;
  std::int64_t units = 0;
  bool operator==(const Amount&) const = default;
};
using Request = std::vector<Amount>;  // sparse, sorted by kind, without zero entries

inline std::int64_t amount_of(const Request& request, Kind kind) {
  for (const Amount& a : request)
    if (a.kind == kind) return a.units;
  return 0;
}

// The names of the kinds: four fixed ones, the others in the order in which they were first seen.
class KindTable {
 public:
  KindTable();
  Kind intern(std::string_view name);
  const std::string& name(Kind kind) const { return names_[kind]; }
  std::size_t size() const { return names_.size(); }
  std::size_t count() const { return names_.size() - free_.size(); }
  // Drops all other kinds except the fixed ones.
  void keep_only(Marks<Kind> used);

 private:
  FreeIds<Kind> free_;
  IdVector<Kind, std::string> names_;
  std::map<std::string, Kind, std::less<>> kinds_;
};

// One contiguous column per kind, because fit tests walk the nodes and read two or three kinds. A kind that
// no node offers has no column and reads as 0, so pods may name any number of kinds.
template <class Row>
class ResourceTable {
 public:
  std::int64_t at(Kind k, Row r) const {
    const auto& column = columns_[k];
    return column.empty() ? 0 : column[r];
  }
  // REQUIRES: the kind is offered.
  std::int64_t& cell(Kind k, Row r) { return columns_[k][r]; }
  const std::vector<Kind>& offered() const { return offered_; }  // sorted
  bool knows(Kind k) const { return columns_.contains(k); }
  bool is_offered(Kind k) const { return std::binary_search(offered_.begin(), offered_.end(), k); }
  bool has_size(std::size_t kinds, std::size_t rows) const {
    return columns_.size() == kinds && rows_ == rows;
  }

  void resize(std::size_t kinds, std::size_t rows) {
    rows_ = rows;
    columns_.resize(kinds);
    for (Kind k : offered_) columns_[k].resize(rows, 0);
  }
  // REQUIRES: the kind is known.
  void offer(Kind k) {
    if (is_offered(k)) return;
    offered_.insert(std::lower_bound(offered_.begin(), offered_.end(), k), k);
    columns_[k].resize(rows_, 0);
  }
  bool operator==(const ResourceTable&) const = default;

 private:
  std::size_t rows_ = 0;
  std::vector<Kind> offered_;
  IdVector<Kind, IdVector<Row, std::int64_t>> columns_;
};

// The three resources that queues are charged for, always in this order.
enum class Accounted : std::uint8_t { kCores, kBytes, kGpus };
inline constexpr std::array kAccounted{Accounted::kCores, Accounted::kBytes, Accounted::kGpus};
constexpr std::size_t index(Accounted r) { return static_cast<std::size_t>(r); }

// The same three as doubles: millicores, bytes, devices. Shares are computed in these.
using Shares = std::array<double, 3>;

// Upper bound for what a pod requests, and for what it is charged, in units; larger amounts count as this
// much. No node has that much, and the sum over all pods that a cluster can hold stays below 64 bits.
inline constexpr std::int64_t kMostUnits = std::int64_t{1} << 45;  // 35 billion cores or GPUs
// Likewise for memory, storage and huge pages, because a node can have more than 2^45 units of these. A pod
// on a node counts at most as much as the node has, or 2^45, so 8,000 pods on one node stay below 64 bits.
inline constexpr std::int64_t kMostByteUnits = std::int64_t{1} << 50;  // 1.1 PB; 1.1 TB of huge pages
std::int64_t most_units(std::string_view resource);
// How many units of the resource are one byte; 0 if its units are not bytes.
std::int64_t units_per_byte(std::string_view resource);

struct Charge {
  std::array<std::int64_t, 3> units{};
  Charge& operator+=(const Charge& o) {
    for (std::size_t i = 0; i < 3; ++i) units[i] += o.units[i];
    return *this;
  }
  Charge& operator-=(const Charge& o) {
    for (std::size_t i = 0; i < 3; ++i) units[i] -= o.units[i];
    return *this;
  }
  // Dividing thousandths yields the double closest to the decimal number, so 700 equals a quota written as
  // 0.7.
  double share(Accounted r) const {
    const auto u = static_cast<double>(units[index(r)]);
    return r == Accounted::kGpus ? u / static_cast<double>(kOneGpu) : u;
  }
  Shares shares() const {
    return {share(Accounted::kCores), share(Accounted::kBytes), share(Accounted::kGpus)};
  }
  // Written out because queues are compared all the time, and a call to compare 24 bytes would cost more.
  bool operator==(const Charge& o) const {
    return ((units[0] ^ o.units[0]) | (units[1] ^ o.units[1]) | (units[2] ^ o.units[2])) == 0;
  }
};

// A request before its node is known. GPU memory is converted to GPUs by a divisor and kept separately,
// because the result is not a whole number of units.
struct Demand {
  Charge charge;
  double gpus_by_memory = 0;

  // The demand plus what is held already.
  double with(const Charge& held, Accounted r) const {
    Charge sum = held;
    sum += charge;
    return sum.share(r) + (r == Accounted::kGpus ? gpus_by_memory : 0);
  }
  Shares with(const Charge& held) const {
    return {with(held, Accounted::kCores), with(held, Accounted::kBytes), with(held, Accounted::kGpus)};
  }
  double share(Accounted r) const { return with({}, r); }
  bool operator==(const Demand&) const = default;
};

// "nvidia.com/mig-3g.20gb" counts 3 GPUs in quotas; any other name 0.
std::int64_t mig_gpus(std::string_view resource);

}  // namespace muster
