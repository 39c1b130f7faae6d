// Random small clusters for properties: nodes of different sizes in zones and racks, queue trees, jobs of all
// kinds, as objects that may be applied in any order.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "model/cluster.hpp"

namespace muster {

// A number per thing, from which all that is random about the thing follows. Fewer numbers and smaller ones
// give plainer clusters, which is how failing examples shrink.
struct RandomCluster {
  std::vector<std::uint64_t> nodes, queues, jobs, foreign;
};
std::ostream& operator<<(std::ostream& out, const RandomCluster& random);

// Takes one thing after the other out of a number.
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
  // Rarely true: for one number in so many.
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

// Running pods stand within the capacity of their nodes; queues come before those below them.
std::vector<Object> objects_of(const RandomCluster& random);
Cluster cluster_of(const std::vector<Object>& objects);

// The instant of all random clusters: 2025-06-01 12:00.
TimePoint random_cluster_now();

}  // namespace muster
