// Generates synthetic traces: arrival rates that follow day and week, durations with a heavy tail, and gangs
// of given sizes.
//
// The same options and seed always give the same text. The draws of a job depend only on the seed and its
// number.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::trace {

struct Weighted {
  std::string value;
  double weight = 1;
};
// Parses values with optional weights such as "1:6, 2:3, 8"; the default weight is 1. Errors contain only the
// message.
Result<std::vector<Weighted>> parse_weighted(std::string_view text);

struct MakeOptions {
  std::int64_t jobs = 1000;
  double days = 7;
  std::uint64_t seed = 1;
  std::vector<Weighted> queues{{"research", 3}, {"product", 2}, {"platform", 1}};
  std::int32_t users = 30;
  std::vector<Weighted> gangs{{"1", 70}, {"2", 12}, {"4", 10}, {"8", 6}, {"16", 2}};  // pods per job
  std::vector<Weighted> gpus{{"1", 55}, {"2", 10}, {"4", 10}, {"8", 25}};             // GPUs per pod
  std::vector<Weighted> priorities;  // empty: the trace has no such column
  Duration median{std::chrono::minutes(20)}, p90{std::chrono::hours(5)}, longest{std::chrono::hours(24 * 7)};
  double swing = 0.6;                           // over the day: 0 even, 1 no arrivals at night
  double weekend = 0.4;                         // arrivals relative to a working day
  double cpu_per_gpu = 8, memory_per_gpu = 64;  // cores, GiB
  Duration checkpoint_every{};                  // 0s: the trace has no such column
  std::int32_t bursts = 0;                      // times at which many jobs come at once
  double burst_share = 0.3;                     // share of the jobs that come then
  std::vector<Weighted> burst_gangs{{"16", 3}, {"32", 1}};
  bool as_json = false;  // JSON lines; otherwise CSV
};

// Returns the first mistake in the options, or "".
std::string problem_with(const MakeOptions& options);

// Writes the text in pieces. Stops if `write` returns false.
void make_trace(const MakeOptions& options, const std::function<bool(std::string_view)>& write);

}  // namespace muster::trace
