// The jobs of a trace as objects, created when the jobs arrive.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/arrivals.hpp"
#include "trace/trace.hpp"

namespace muster::trace {

// A job as PodGroup default/<name>, followed by its pods, all created at `at`.
std::vector<Object> objects_of(const Trace& trace, const TraceJob& job, TimePoint at,
                               const std::string& scheduler);

class TraceArrivals final : public Arrivals {
 public:
  // The run begins at `start`. Its pods are for `scheduler`.
  TraceArrivals(std::shared_ptr<const Trace> trace, TimePoint start, std::string scheduler)
      : trace_(std::move(trace)), start_(start), scheduler_(std::move(scheduler)) {}

  std::optional<TimePoint> next() const override;
  std::vector<Object> take() override;

 private:
  const std::shared_ptr<const Trace> trace_;
  const TimePoint start_;
  const std::string scheduler_;
  std::size_t taken_ = 0;
};

}  // namespace muster::trace
