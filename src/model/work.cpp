// Parses durations and distributions, and draws from them by seed and name.
#include "model/work.hpp"

#include <algorithm>
#include <cmath>

#include "util/normal.hpp"
#include "util/stable_hash.hpp"

namespace muster {
namespace {

constexpr double kLongest = 9.0e18;  // nanoseconds, about 285 years: the maximum of a Duration

Duration duration_of(double nanoseconds) {
  if (!(nanoseconds > 0)) return Duration::zero();
  return Duration(static_cast<std::int64_t>(std::min(nanoseconds, kLongest)));
}

// Greater than 0 and less than 1: 53 bits, at the middle of each step.
double unit_of(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// SplitMix64: every bit of the result depends on every bit of the number.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

double lognormal(Duration median, Duration p90, double p) {
  if (median <= Duration::zero()) return 0;
  const auto middle = static_cast<double>(median.count());
  const double sigma = std::log(static_cast<double>(p90.count()) / middle) / kNormalP90;
  return middle * std::exp(sigma * normal_quantile(p));
}

// ---------------------------------------------------------------- reading

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<Duration> amount(std::string_view text) {
  const auto given = parse_duration(trimmed(text));
  return given && *given >= Duration::zero() ? given : std::nullopt;
}

// The text between the parentheses of "name( … )".
std::optional<std::string_view> arguments(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  text = trimmed(text.substr(name.size()));
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  return text.substr(1, text.size() - 2);
}

// Two durations separated by a comma. With keys, they may come in either order.
struct Pair {
  Duration first{}, second{};
};
std::optional<Pair> pair_of(std::string_view text, std::string_view first_key, std::string_view second_key) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto value = [&](std::string_view part, std::string_view key) -> std::optional<Duration> {
    part = trimmed(part);
    if (key.empty()) return amount(part);
    if (!part.starts_with(key)) return std::nullopt;
    part = trimmed(part.substr(key.size()));
    return part.starts_with('=') ? amount(part.substr(1)) : std::nullopt;
  };
  std::string_view left = text.substr(0, comma), right = text.substr(comma + 1);
  if (!second_key.empty() && trimmed(left).starts_with(second_key)) std::swap(left, right);
  const auto first = value(left, first_key), second = value(right, second_key);
  if (!first || !second || *second < *first) return std::nullopt;
  return Pair{*first, *second};
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::string_view object, std::string_view what,
                          std::uint64_t number) {
  std::uint64_t hash = stable_hash("\xff", stable_hash(object));
  hash = stable_hash(what, hash);
  return mixed(mixed(mixed(seed) ^ hash) + number);
}

Duration exponential(Duration mean, std::uint64_t bits) {
  return duration_of(-static_cast<double>(mean.count()) * std::log(unit_of(bits)));
}

Duration RunTime::draw(std::uint64_t seed, std::string_view object) const {
  if (law == Law::kFixed) return first;
  const std::uint64_t bits = random_bits(seed, object, "duration");
  if (law == Law::kExponential) return exponential(first, bits);
  if (law == Law::kUniform)
    return first + duration_of(static_cast<double>((second - first).count()) * unit_of(bits));
  return duration_of(lognormal(first, second, unit_of(bits)));
}

std::optional<RunTime> parse_run_time(std::string_view text) {
  text = trimmed(text);
  using Law = RunTime::Law;
  if (const auto inside = arguments(text, "exp")) {
    const auto mean = amount(*inside);
    return mean ? std::optional(RunTime{Law::kExponential, *mean, {}}) : std::nullopt;
  }
  if (const auto inside = arguments(text, "uniform")) {
    const auto bounds = pair_of(*inside, "", "");
    return bounds ? std::optional(RunTime{Law::kUniform, bounds->first, bounds->second}) : std::nullopt;
  }
  if (const auto inside = arguments(text, "lognormal")) {
    const auto points = pair_of(*inside, "median", "p90");
    if (!points || (points->first == Duration::zero() && points->second > Duration::zero()))
      return std::nullopt;
    return RunTime{Law::kLognormal, points->first, points->second};
  }
  const auto fixed = amount(text);
  return fixed ? std::optional(RunTime{Law::kFixed, *fixed, {}}) : std::nullopt;
}

Work merged(const Work& of_pod, const Work& of_job) {
  Work work = of_pod;
  if (!work.duration) work.duration = of_job.duration;
  if (!work.work) work.work = of_job.work;
  if (!work.checkpoint_every) work.checkpoint_every = of_job.checkpoint_every;
  if (!work.restart_cost) work.restart_cost = of_job.restart_cost;
  if (!work.fails_after) work.fails_after = of_job.fails_after;
  return work;
}

}  // namespace muster
