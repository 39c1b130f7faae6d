// Jobs that wait behind others like them. As long as what is free could not serve those before them, cycles
// decide nothing about them, so a future need not look at them: that is most of a long line.
#pragma once

#include <vector>

#include "model/cluster.hpp"

namespace muster::answers {

// Jobs of one queue that ask for the same in the same way, in the order in which they are served.
struct Alike {
  std::vector<JobId> jobs;
  Request request;        // of one of their pods
  std::int64_t pods = 0;  // that must stand at once
};

// Of a cluster at rest; others may share it. Who is unlike all others, or has a past, is in none of them.
std::vector<Alike> lines_of(const Cluster& cluster);

// The view of one future on its own copy of the cluster.
class FarLine {
 public:
  explicit FarLine(const std::vector<Alike>& lines);

  // Right before a cycle: all whom what is free could serve are looked at, and one more; the others are not.
  const IdSet<JobId>& look(const Cluster& cluster);

 private:
  // Places in the line: who has a place, and who is looked at.
  struct View {
    std::size_t served = 0, seen = 0;
    std::size_t spare = 1;  // more than what is free could serve: room is made for some
  };
  const std::vector<Alike>& lines_;
  std::vector<View> views_;
  IdSet<JobId> far_;
};

}  // namespace muster::answers
