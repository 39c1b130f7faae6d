// How good start estimates are: synthetic traces are played, jobs that wait are estimated on the way, and
// their starts are compared with what was said.
//
//   muster_bench_starts [traces] [jobs of a trace] [nodes]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "answers/start_estimate.hpp"
#include "cli/policy.hpp"
#include "cli/simulate/clock.hpp"
#include "trace/arrivals.hpp"
#include "trace/make.hpp"
#include "trace/queues.hpp"

namespace muster {
namespace {

constexpr int kGpusPerNode = 8;
constexpr double kDays = 1;
const TimePoint kStart = *parse_time("2025-06-02T00:00:00Z");

struct Load {
  int traces = 20, jobs = 400, nodes = 6;
};

trace::Trace made_trace(const Load& load, std::uint64_t seed) {
  trace::MakeOptions options{.jobs = load.jobs, .days = kDays, .seed = seed};
  options.gangs = {{"1", 70}, {"2", 20}, {"4", 10}};
  std::string text;
  trace::make_trace(options, [&](std::string_view piece) { return text += piece, true; });
  return *trace::read_trace_in({}, text);
}

// As if so many like them had ended before.
answers::RunFigureTable history_of(const Load& load, std::uint64_t seed) {
  answers::RunHistory history;
  const trace::Trace before = made_trace({.jobs = 4 * load.jobs}, seed + 1'000'000);
  for (const trace::TraceJob& job : before.jobs)
    history.add(before.texts[job.queue], before.texts[job.user], job.work.duration->first);
  return history.figures();
}

void add_nodes(const Load& load, Cluster& cluster, Agenda& agenda) {
  for (int i = 0; i < load.nodes; ++i) {
    NodeObject node;
    node.meta = {.name = fmt::format("node-{:03}", i), .uid = fmt::format("node-{:03}", i)};
    node.allocatable = {{"cpu", 128'000},
                        {"memory", std::int64_t{1} << 40},
                        {"nvidia.com/gpu", kGpusPerNode * kOneGpu},
                        {"pods", 110}};
    agenda.nodes[node.meta.name] = node;
    cluster.apply(std::move(node));
  }
}

struct Said {
  std::string job;
  TimePoint at{};
  answers::StartEstimate estimate;
};

// How often what was said came true.
class Score {
 public:
  void add(const Said& said, const std::optional<TimePoint>& start) {
    ++said_;
    if (!said.estimate.p50 || !said.estimate.p90) return;
    ++numbers_;
    if (!start) return;
    by_p50_ += *start <= *said.estimate.p50;
    by_p90_ += *start <= *said.estimate.p90;
    off_.push_back(
        seconds_of(*start > *said.estimate.p50 ? *start - *said.estimate.p50 : *said.estimate.p50 - *start));
    waits_.push_back(seconds_of(*start - said.at));
  }
  void tell(const char* what) {
    const auto part = [&](int n) { return numbers_ == 0 ? 0.0 : 100.0 * n / numbers_; };
    fmt::print(
        "{}: {} estimates, {} with both numbers; started by p50 {:.1f} %, by p90 {:.1f} %; median error "
        "{:.0f} min "
        "of a median wait of {:.0f} min\n",
        what, said_, numbers_, part(by_p50_), part(by_p90_), middle(off_) / 60, middle(waits_) / 60);
  }

 private:
  static double middle(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }
  int said_ = 0, numbers_ = 0, by_p50_ = 0, by_p90_ = 0;
  std::vector<double> off_, waits_;
};

// What is said at these instants of all jobs that wait then, and when they started.
void play(const Load& load, std::uint64_t seed, const std::vector<TimePoint>& instants, Score& score) {
  std::vector<Error> errors;
  const Config config;
  Cluster cluster(cli::cluster_options(config.params));
  Policy policy = cli::make_policy(config, errors);
  Agenda agenda;
  add_nodes(load, cluster, agenda);
  auto jobs = std::make_shared<const trace::Trace>(made_trace(load, seed));
  for (QueueObject& queue : trace::missing_queues(
                                *jobs, [](const std::string&) { return false; }, kStart)
                                .queues)
    cluster.apply(std::move(queue));
  agenda.arrivals.push_back(
      std::make_unique<trace::TraceArrivals>(jobs, kStart, config.params.scheduler_name));
  const answers::KnownTimes times{.pods = {}, .groups = {}, .history = history_of(load, seed)};
  std::vector<Said> said;
  std::size_t next = 0;
  const SteadyStopwatch stopwatch;
  const auto look = [&](const cli::ClockState& clock) {
    if (next == instants.size() || clock.now < instants[next]) return true;
    ++next;
    Cluster copy = cluster;
    copy.refresh(clock.now);
    const answers::State state{copy, policy, clock.now, &times};
    const answers::Outcome unchanged = answers::outcome_of(state);
    const answers::Futures futures(state, unchanged, {},
                                   {.time = std::chrono::minutes(10), .stopwatch = stopwatch});
    for (JobId j : ids(unchanged.cluster.jobs()))
      if (unchanged.cluster.job(j).present && !answers::is_at_minimum(unchanged.cluster, j))
        said.push_back({unchanged.cluster.job(j).full_name(), clock.now, futures.of(j)});
    return true;
  };
  const RunOutcome outcome = cli::run_clock(cluster, policy, std::move(agenda), nullptr,
                                            {.timed = {.from = kStart, .seed = seed}}, {.goes_on = look});
  std::map<std::string, std::optional<TimePoint>> starts;
  for (const JobOutcome& job : outcome.jobs) starts[job.name] = job.first_start;
  for (const Said& one : said) score.add(one, starts[one.job]);
}

int run(const Load& load) {
  Score after, during;
  const auto at = [](double hours) { return kStart + Duration(static_cast<std::int64_t>(hours * 3600e9)); };
  for (int seed = 1; seed <= load.traces; ++seed) {
    play(load, static_cast<std::uint64_t>(seed), {at(24 * kDays)}, after);
    play(load, static_cast<std::uint64_t>(seed), {at(12), at(16), at(20)}, during);
  }
  after.tell("nobody comes any more");
  during.tell("others keep coming");
  return 0;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  const auto number = [&](int which, int otherwise) {
    return which < count ? static_cast<int>(std::strtol(words[which], nullptr, 10)) : otherwise;
  };
  return muster::run({.traces = number(1, 20), .jobs = number(2, 400), .nodes = number(3, 6)});
}
