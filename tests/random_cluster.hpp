// Random small clusters for property tests: nodes of different sizes in zones and racks, queue trees and jobs
// of all kinds, as objects that may be applied in any order.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "model/cluster.hpp"

namespace muster {

// One number per object; it determines everything random about the object. Fewer and smaller numbers give
// simpler clusters, so failing examples shrink.
struct RandomCluster {
  std::vector<std::uint64_t> nodes, queues, jobs, foreign;
};
std::ostream& operator<<(std::ostream& out, const RandomCluster& random);

// Takes one random value after the other from a number.
class Dice {
 public:
  explicit Dice(std::uint64_t number) : left_(number) {}
  // 0 to sides - 1.
  int roll(int sides) {
    const auto n = static_cast<std::uint64_t>(sides);
    const auto result = static_cast<int>(left_ % n);
    left_ /= n;
    return result;
  }
  // True for one number in `times`.
  bool once_in(int times) { return roll(times) == times - 1; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[roll(static_cast<int>(values.size()))];
  }

 private:
  std::uint64_t left_;
};

// The topology of all random clusters: zone, rack, host.
TopologyObject random_cluster_topology();

// Running pods fit on their nodes; queues come before their children.
std::vector<Object> objects_of(const RandomCluster& random);
Cluster cluster_of(const std::vector<Object>& objects);

// The time of all random clusters: 2025-06-01 12:00.
TimePoint random_cluster_now();

}  // namespace muster
