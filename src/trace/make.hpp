// Synthetic traces: arrivals that swing with day and week, durations with a heavy tail, gangs of given sizes.
//
// The same options and the same seed always give the same text. What one job draws depends on the seed and
// its number alone.
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
// "1:6, 2:3, 8": values, each with its weight behind a colon; 1 where none is given. Errors have the message
// only.
Result<std::vector<Weighted>> parse_weighted(std::string_view text);

struct MakeOptions {
  std::int64_t jobs = 1000;
  double days = 7;
  std::uint64_t seed = 1;
  std::vector<Weighted> queues{{"research", 3}, {"product", 2}, {"platform", 1}};
  std::int32_t users = 30;
  std::vector<Weighted> gangs{{"1", 70}, {"2", 12}, {"4", 10}, {"8", 6}, {"16", 2}};  // pods of a job
  std::vector<Weighted> gpus{{"1", 55}, {"2", 10}, {"4", 10}, {"8", 25}};             // of a pod
  std::vector<Weighted> priorities;                                                   // none: no such column
  Duration median{std::chrono::minutes(20)}, p90{std::chrono::hours(5)}, longest{std::chrono::hours(24 * 7)};
  double swing = 0.6;                           // of a day: 0 even, 1 nobody works at night
  double weekend = 0.4;                         // of the arrivals of a working day
  double cpu_per_gpu = 8, memory_per_gpu = 64;  // cores, GiB
  Duration checkpoint_every{};                  // 0s: no such column
  std::int32_t bursts = 0;                      // moments at which many jobs come at once
  double burst_share = 0.3;                     // of the jobs come then
  std::vector<Weighted> burst_gangs{{"16", 3}, {"32", 1}};
  bool as_json = false;  // JSON lines, else CSV
};

// What is wrong with the options; "": nothing.
std::string problem_with(const MakeOptions& options);

// Hands the text out in pieces. False from `write` ends it.
void make_trace(const MakeOptions& options, const std::function<bool(std::string_view)>& write);

}  // namespace muster::trace
