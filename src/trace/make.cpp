// Draws the arrival times first, with a rate that changes over day and week, then the size, duration, queue
// and user of each job.
#include "trace/make.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "trace/values.hpp"
#include "util/normal.hpp"

namespace muster::trace {
namespace {

constexpr double kSecondsOfDay = 86'400;
constexpr int kStepsOfDay = 96;      // a quarter of an hour each
constexpr double kBusiestHour = 14;  // hour of the day
constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::int64_t kMostJobs = 100'000'000;
constexpr double kMostDays = 3650;
constexpr double kBurstSeconds = 120;  // length of one burst

// Identifies a random number of a job. The same number is drawn wherever it is asked for.
enum class Draw : std::uint64_t {
  kArrival = 1,
  kQueue,
  kUser,
  kGang,
  kGpus,
  kPriority,
  kDuration,
  kAngle,
  kBurst,
  kDelay
};

class Dice {
 public:
  Dice(std::uint64_t seed, std::uint64_t number)
      : base_(mixed(mixed(seed) ^ (number * 0x9E3779B97F4A7C15ULL))) {}

  // In [0, 1).
  double draw(Draw what) const {
    return static_cast<double>(mixed(base_ + static_cast<std::uint64_t>(what)) >> 11) * 0x1p-53;
  }

 private:
  // The finalizer of splitmix64: a bijection that leaves no pattern.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }

  std::uint64_t base_;
};

const std::string& picked(const std::vector<Weighted>& values, double draw) {
  double total = 0;
  for (const Weighted& value : values) total += value.weight;
  double left = draw * total;
  for (const Weighted& value : values) {
    left -= value.weight;
    if (left < 0) return value.value;
  }
  return values.back().value;
}

// User n submits about 1/n of what the first user submits.
int user_of(double draw, std::int32_t users) {
  return static_cast<int>(std::pow(static_cast<double>(users) + 1, draw));
}

// Arrival times, with a density that follows the rate at that time of day and week.
class ArrivalTimes {
 public:
  explicit ArrivalTimes(const MakeOptions& options) : days_(options.days) {
    const auto steps = static_cast<std::size_t>(std::ceil(options.days * kStepsOfDay));
    sums_.push_back(0);
    for (std::size_t step = 0; step < steps; ++step) sums_.push_back(sums_.back() + rate(options, step));
  }

  double seconds_of(double draw) const {
    const double wanted = draw * sums_.back();
    const auto above = std::ranges::upper_bound(sums_, wanted);
    const auto step = static_cast<std::size_t>(above - sums_.begin()) - 1;
    if (step + 1 >= sums_.size()) return days_ * kSecondsOfDay;
    const double part = (wanted - sums_[step]) / (sums_[step + 1] - sums_[step]);
    const double at = (static_cast<double>(step) + part) * kSecondsOfDay / kStepsOfDay;
    return std::min(at, days_ * kSecondsOfDay);
  }

 private:
  static double rate(const MakeOptions& options, std::size_t step) {
    const double hour = 24.0 * static_cast<double>(step % kStepsOfDay) / kStepsOfDay;
    const bool is_weekend = step / kStepsOfDay % 7 >= 5;  // a trace begins on a Monday
    const double day = 1 + options.swing * std::cos(2 * std::numbers::pi * (hour - kBusiestHour) / 24);
    return day * (is_weekend ? options.weekend : 1);
  }

  double days_;
  std::vector<double> sums_;
};

struct MadeJob {
  std::int64_t number = 0, submit = 0, duration = 0;
  bool is_burst = false;
};

class TraceMaker {
 public:
  TraceMaker(const MakeOptions& options, const std::function<bool(std::string_view)>& write)
      : options_(options), write_(write), arrivals_(options) {}

  void make() {
    if (!options_.as_json) text_ = header();
    for (const MadeJob& job : jobs()) {
      options_.as_json ? add_json(job) : add_csv(job);
      if (text_.size() >= kPiece && !flush()) return;
    }
    flush();
  }

 private:
  std::vector<MadeJob> jobs() const {
    std::vector<MadeJob> result;
    result.reserve(static_cast<std::size_t>(options_.jobs));
    const auto in_bursts = options_.bursts == 0
                               ? 0
                               : static_cast<std::int64_t>(
                                     std::llround(options_.burst_share * static_cast<double>(options_.jobs)));
    for (std::int64_t n = 0; n < options_.jobs; ++n) result.push_back(job(n, n < in_bursts));
    std::ranges::stable_sort(result, {}, &MadeJob::submit);
    return result;
  }

  MadeJob job(std::int64_t number, bool is_burst) const {
    const Dice dice(options_.seed, static_cast<std::uint64_t>(number) + 1);
    double at = arrivals_.seconds_of(dice.draw(Draw::kArrival));
    if (is_burst) {
      const Dice moment(options_.seed ^ 0xB0B5, static_cast<std::uint64_t>(number % options_.bursts));
      at = arrivals_.seconds_of(moment.draw(Draw::kBurst)) + kBurstSeconds * dice.draw(Draw::kDelay);
    }
    return {.number = number, .submit = std::llround(at), .duration = duration(dice), .is_burst = is_burst};
  }

  std::int64_t duration(const Dice& dice) const {
    const double sigma = std::log(seconds(options_.p90) / seconds(options_.median)) / kNormalP90;
    const double radius = std::sqrt(-2 * std::log(1 - dice.draw(Draw::kDuration)));
    const double normal = radius * std::cos(2 * std::numbers::pi * dice.draw(Draw::kAngle));
    const double drawn = seconds(options_.median) * std::exp(sigma * normal);
    return std::llround(std::clamp(drawn, 1.0, seconds(options_.longest)));
  }

  // Calls `use` with the name and text of every column, in order.
  template <class Use>
  void columns(const MadeJob& job, Use use) const {
    const Dice dice(options_.seed, static_cast<std::uint64_t>(job.number) + 1);
    const std::string& gpus = picked(options_.gpus, dice.draw(Draw::kGpus));
    const double share = number_of(gpus).value_or(0);
    use("submit", std::to_string(job.submit), false);
    use("job", fmt::format("job-{:0{}}", job.number, digits()), true);
    use("queue", picked(options_.queues, dice.draw(Draw::kQueue)), true);
    use("user", fmt::format("user-{}", user_of(dice.draw(Draw::kUser), options_.users)), true);
    use("pods", picked(job.is_burst ? options_.burst_gangs : options_.gangs, dice.draw(Draw::kGang)), false);
    use("gpus", gpus, false);
    use("cpu", fmt::format("{:g}", std::max(share, 0.125) * options_.cpu_per_gpu), false);
    use("memory", fmt::format("{:g}", std::max(share, 0.125) * options_.memory_per_gpu), false);
    use("duration", std::to_string(job.duration), false);
    if (!options_.priorities.empty())
      use("priority", picked(options_.priorities, dice.draw(Draw::kPriority)), true);
    if (options_.checkpoint_every > Duration::zero())
      use("checkpoint_every", fmt::format("{:g}", seconds(options_.checkpoint_every)), false);
  }

  std::string header() const {
    std::string line;
    columns({}, [&](std::string_view name, const std::string&, bool) {
      line += (line.empty() ? "" : ",") + std::string(name);
    });
    return line + "\n";
  }

  void add_csv(const MadeJob& job) {
    bool is_first = true;
    columns(job, [&](std::string_view, const std::string& value, bool) {
      if (!is_first) text_ += ',';
      text_ += value;
      is_first = false;
    });
    text_ += '\n';
  }

  void add_json(const MadeJob& job) {
    bool is_first = true;
    columns(job, [&](std::string_view name, const std::string& value, bool is_text) {
      text_ +=
          fmt::format("{}\"{}\": {}", is_first ? "{" : ", ", name, is_text ? "\"" + value + "\"" : value);
      is_first = false;
    });
    text_ += "}\n";
  }

  std::size_t digits() const { return std::to_string(options_.jobs - 1).size(); }

  bool flush() {
    const bool goes_on = write_(text_);
    text_.clear();
    return goes_on;
  }

  const MakeOptions& options_;
  const std::function<bool(std::string_view)>& write_;
  const ArrivalTimes arrivals_;
  std::string text_;
};

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 253 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  });
}

std::string problem_with_numbers(const std::vector<Weighted>& values, const char* option, bool is_whole) {
  for (const Weighted& value : values) {
    const auto number = number_of(value.value);
    const bool is_good =
        number &&
        (is_whole ? *number >= 1 && *number <= 100'000 && *number == std::floor(*number)
                  : *number >= 0 && *number <= 1024 && (*number < 1 || *number == std::floor(*number)));
    if (!is_good)
      return fmt::format("{}: \"{}\" is not a {}", option, shortened(value.value),
                         is_whole ? "number of pods" : "number of GPUs or a share of one");
  }
  return "";
}

std::string problem_with_names(const std::vector<Weighted>& values, const char* option) {
  for (const Weighted& value : values)
    if (!is_plain_name(value.value))
      return fmt::format("{}: \"{}\" must consist of letters, digits, - and .", option,
                         shortened(value.value));
  return "";
}

}  // namespace

Result<std::vector<Weighted>> parse_weighted(std::string_view text) {
  std::vector<Weighted> result;
  std::set<std::string> seen;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = without_space(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    const std::size_t colon = part.rfind(':');
    const std::string value(without_space(part.substr(0, colon)));
    const auto weight =
        colon == std::string_view::npos ? 1 : number_of(without_space(part.substr(colon + 1)));
    if (value.empty() || !weight || *weight < 0 || *weight > 1e9)
      return Error{fmt::format("\"{}\" is not a value and weight such as 8:25", shortened(part)), {}};
    if (!seen.insert(value).second) return Error{fmt::format("\"{}\" is given twice", shortened(value)), {}};
    if (*weight > 0) result.push_back({value, *weight});
  }
  if (result.empty()) return Error{"no value has a weight above 0", {}};
  return result;
}

std::string problem_with(const MakeOptions& options) {
  if (options.jobs < 1 || options.jobs > kMostJobs) return fmt::format("--jobs: must be 1 to {}", kMostJobs);
  if (!(options.days > 0 && options.days <= kMostDays))
    return fmt::format("--days: must be above 0 and at most {}", kMostDays);
  if (options.users < 1 || options.users > 1'000'000) return "--users: must be 1 to 1000000";
  if (options.median <= Duration::zero()) return "--duration: must be more than 0s";
  if (options.p90 < options.median) return "--duration-p90: must not be less than --duration";
  if (options.longest < options.median) return "--duration-max: must not be less than --duration";
  if (!(options.swing >= 0 && options.swing <= 1)) return "--swing: must be from 0 to 1";
  if (!(options.weekend > 0 && options.weekend <= 10)) return "--weekend: must be above 0 and at most 10";
  if (!(options.burst_share >= 0 && options.burst_share <= 1)) return "--burst-share: must be from 0 to 1";
  if (options.bursts < 0 || options.bursts > 1'000'000) return "--bursts: must be 0 to 1000000";
  if (!(options.cpu_per_gpu >= 0 && options.cpu_per_gpu <= 1e6))
    return "--cpu-per-gpu: must be from 0 to 1000000";
  if (!(options.memory_per_gpu >= 0 && options.memory_per_gpu <= 1e6))
    return "--memory-per-gpu: must be from 0 to 1000000";
  for (const std::string& problem : {problem_with_names(options.queues, "--queues"),
                                     problem_with_names(options.priorities, "--priorities"),
                                     problem_with_numbers(options.gangs, "--gangs", true),
                                     problem_with_numbers(options.gpus, "--gpus", false),
                                     problem_with_numbers(options.burst_gangs, "--burst-gangs", true)})
    if (!problem.empty()) return problem;
  return "";
}

void make_trace(const MakeOptions& options, const std::function<bool(std::string_view)>& write) {
  TraceMaker(options, write).make();
}

}  // namespace muster::trace
