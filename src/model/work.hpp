// The work of a pod or a job in simulated time: docs/time.md 2. Unused in live clusters.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "util/time.hpp"

namespace muster {

// Longer durations are refused where they are read; longer draws count as this much.
inline constexpr Duration kLongestWork = std::chrono::hours(24 * 36'525);  // 100 years

// A duration, or a distribution to draw one from.
struct RunTime {
  enum class Law : std::uint8_t { kFixed, kExponential, kUniform, kLognormal };
  Law law = Law::kFixed;
  Duration first{};   // the duration, mean, minimum or median
  Duration second{};  // kUniform: the maximum; kLognormal: the 90th percentile

  // Draws for the object "namespace/name". The same seed always gives the same value, whatever else is drawn.
  // Never negative.
  Duration draw(std::uint64_t seed, std::string_view object) const;
  bool operator==(const RunTime&) const = default;
};

// Parses "2h", "exp(2h)", "uniform(1h,3h)", "lognormal(median=2h,p90=8h)"; spaces are allowed. Returns
// nullopt for anything else, for negative durations, and for bounds in the wrong order.
std::optional<RunTime> parse_run_time(std::string_view text);

// The work of a pod, or the default for the pods of a job.
struct Work {
  std::optional<RunTime> duration;           // nullopt: runs forever, unless the job has `work`
  std::optional<Duration> work;              // pod-time that the whole job needs; replaces `duration`
  std::optional<Duration> checkpoint_every;  // progress between checkpoints
  std::optional<Duration> restart_cost;
  std::optional<Duration> fails_after;  // run time after which it fails once

  bool is_empty() const { return *this == Work{}; }
  bool operator==(const Work&) const = default;
};

// Each field from the pod if it has it, otherwise from its job.
Work merged(const Work& of_pod, const Work& of_job);

// Random bits that depend only on the arguments. `what` distinguishes the draws of one object.
std::uint64_t random_bits(std::uint64_t seed, std::string_view object, std::string_view what,
                          std::uint64_t number = 0);
// The value of an exponential distribution for these bits.
Duration exponential(Duration mean, std::uint64_t bits);

}  // namespace muster
