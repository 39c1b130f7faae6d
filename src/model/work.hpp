// What a pod or a job has to do in simulated time: docs/spec/time.md 2. Live clusters never ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "util/time.hpp"

namespace muster {

// A duration, or a distribution that one is drawn from.
struct RunTime {
  enum class Law : std::uint8_t { kFixed, kExponential, kUniform, kLognormal };
  Law law = Law::kFixed;
  Duration first{};   // the duration; the mean; the least; the median
  Duration second{};  // of kUniform: the most; of kLognormal: the 90th percentile

  // What the object of that name ("namespace/name") draws: the same for the same seed, whatever else is
  // drawn. Never negative.
  Duration draw(std::uint64_t seed, std::string_view object) const;
  bool operator==(const RunTime&) const = default;
};

// "2h", "exp(2h)", "uniform(1h,3h)", "lognormal(median=2h,p90=8h)"; blanks do no harm. Nothing where it is
// none of them, or negative, or where the bounds of a distribution are in the wrong order.
std::optional<RunTime> parse_run_time(std::string_view text);

// Of a pod, or of all pods of a job that say nothing themselves.
struct Work {
  std::optional<RunTime> duration;           // none: for ever, unless the job has `work`
  std::optional<Duration> work;              // pod-time that the whole job needs, instead
  std::optional<Duration> checkpoint_every;  // of progress
  std::optional<Duration> restart_cost;
  std::optional<Duration> fails_after;  // of run time, once

  bool is_empty() const { return *this == Work{}; }
  bool operator==(const Work&) const = default;
};

// Each field as the pod has it, else as its job has it.
Work merged(const Work& of_pod, const Work& of_job);

// Any number of random bits that depend on nothing but these. `what` tells the draws of one object apart.
std::uint64_t random_bits(std::uint64_t seed, std::string_view object, std::string_view what,
                          std::uint64_t number = 0);
// The duration of an exponential distribution that these bits stand for.
Duration exponential(Duration mean, std::uint64_t bits);

}  // namespace muster
