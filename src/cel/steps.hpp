// Counts the steps of an evaluation. A step is a node of the expression, an item of a list or 64 bytes of
// text; it takes some 10 ns.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cel/value.hpp"

namespace muster::cel {

class Steps {
 public:
  explicit Steps(std::int64_t most) : most_(most) {}
  // Returns false if the steps exceed the limit, now and from then on.
  bool take(std::int64_t steps) {
    taken_ = std::min(taken_ + std::min(steps, most_), most_);
    return taken_ < most_;
  }
  bool are_used_up() const { return taken_ >= most_; }
  std::int64_t taken() const { return taken_; }
  std::int64_t left() const { return most_ - taken_; }
  std::int64_t most() const { return most_; }

 private:
  const std::int64_t most_;
  std::int64_t taken_ = 0;
};

// The steps that it takes to look at all of a value, or `most` if they are more.
std::int64_t steps_over(const Value& value, std::int64_t most);
Value too_many_steps(const Steps& steps);

}  // namespace muster::cel
