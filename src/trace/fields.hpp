// Our columns of a trace, and the values they may have.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "trace/expression.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::trace {

enum class Field : std::uint8_t {
  kSubmit,
  kJob,
  kQueue,
  kPods,
  kGpus,
  kCpu,
  kMemory,
  kDuration,
  kMin,
  kPriority,
  kPreemptibility,
  kExpectedRuntime,
  kGpuModel,
  kUser,
  kCheckpointEvery,
  kWork,
  kRestartCost,
  kFailsAfter,
};
inline constexpr std::array<std::string_view, 18> kFields{"submit",
                                                          "job",
                                                          "queue",
                                                          "pods",
                                                          "gpus",
                                                          "cpu",
                                                          "memory",
                                                          "duration",
                                                          "min",
                                                          "priority",
                                                          "preemptibility",
                                                          "expected_runtime",
                                                          "gpu_model",
                                                          "user",
                                                          "checkpoint_every",
                                                          "work",
                                                          "restart_cost",
                                                          "fails_after"};

// Errors contain only the message.

// A name that can be displayed and looked up: of limited length, without slashes or invisible characters.
Result<std::string> name_in(const Value& value);
// A whole number from `least` to `most`.
Result<std::int32_t> count_in(const Value& value, std::int32_t least, std::int32_t most);
// Thousandths of a core.
Result<std::int64_t> milli_cores_in(const Value& value);
Result<std::int64_t> bytes_in(const Value& value);  // bare numbers are GiB
struct GpuAmount {
  std::int32_t whole = 0;
  double share = 0;  // of one GPU, unless it is 0
};
Result<GpuAmount> gpus_in(const Value& value);
// Bare numbers are seconds. Negative durations are refused.
Result<Duration> duration_in(const Value& value);
struct Moment {
  TimePoint at{};
  bool is_instant = false;  // otherwise relative to the start
};
Result<Moment> moment_in(const Value& value);

}  // namespace muster::trace
