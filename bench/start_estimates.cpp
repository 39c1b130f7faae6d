// How good start estimates are: synthetic traces are played, jobs that wait are estimated on the way, and
// their starts are compared with what was said.
//
//   muster_bench_starts [traces] [jobs of a trace] [nodes]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>

#include "answers/objects_again.hpp"
#include "answers/receipt.hpp"
#include "answers/start_estimate.hpp"
#include "cli/policy.hpp"
#include "cli/simulate/clock.hpp"
#include "trace/arrivals.hpp"
#include "trace/make.hpp"
#include "trace/queues.hpp"

namespace muster {
namespace {

constexpr int kGpusPerNode = 8;
constexpr double kDays = 1;  // that jobs come
const TimePoint kStart = *parse_time("2025-06-02T00:00:00Z");

// About a quarter more work than the nodes can do in a day.
struct Load {
  int traces = 100, jobs = 200, nodes = 12;
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

// While others come, and when the last has come.
std::vector<TimePoint> instants_of_looking() {
  using std::chrono::hours;
  return {kStart + hours(12), kStart + hours(18), kStart + hours(24)};
}

struct Said {
  std::string job;
  TimePoint at{};
  answers::StartEstimate estimate;
};

// How often what was said came true. Jobs of one trace share its luck, so what a share is worth is told by
// how much it differs from trace to trace.
class Score {
 public:
  void add(const Said& said, const std::optional<TimePoint>& start) {
    ++said_;
    if (!said.estimate.p50 || !said.estimate.p90) return;
    ++numbers_, ++trace_.numbers;
    if (!start) return;
    trace_.by_p50 += *start <= *said.estimate.p50;
    trace_.by_p90 += *start <= *said.estimate.p90;
    off_.push_back(
        seconds_of(*start > *said.estimate.p50 ? *start - *said.estimate.p50 : *said.estimate.p50 - *start));
    waits_.push_back(seconds_of(*start - said.at));
  }
  void trace_ends() {
    if (trace_.numbers > 0) traces_.push_back(std::exchange(trace_, {}));
  }
  void tell(const char* what) {
    fmt::print(
        "{}: {} estimates, {} with both numbers; started by p50 {}, by p90 {}; median error {:.0f} min of a "
        "median wait of {:.0f} min\n",
        what, said_, numbers_, share(&Counts::by_p50), share(&Counts::by_p90), middle(off_) / 60,
        middle(waits_) / 60);
  }

 private:
  struct Counts {
    int numbers = 0, by_p50 = 0, by_p90 = 0;
  };
  // Of all estimates, with the standard error of a mean over the traces.
  std::string share(int Counts::*which) const {
    const double all = numbers_, traces = static_cast<double>(traces_.size());
    double hits = 0, squares = 0;
    for (const Counts& c : traces_) hits += c.*which;
    for (const Counts& c : traces_) squares += std::pow(c.*which - hits / all * c.numbers, 2);
    if (traces < 2) return fmt::format("{:.1f} %", 100 * hits / all);
    const double error = std::sqrt(squares * traces / (traces - 1)) / all;
    return fmt::format("{:.1f} % (± {:.1f})", 100 * hits / all, 100 * error);
  }
  static double middle(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), at, values.end());
    return *at;
  }
  int said_ = 0, numbers_ = 0;
  Counts trace_;  // the one that is played
  std::vector<Counts> traces_;
  std::vector<double> off_, waits_;
};

// As `muster serve` writes it at jobs that lose their places: what they had done by then.
class Receipts {
 public:
  void see(const Occurrence& o) {
    if (o.kind == "start") started_.try_emplace(o.job, o.at);
    if (o.kind != "evict") return;
    if (const auto start = started_.extract(o.job))
      receipts_[o.job] = {.at = format_time(o.at),
                          .action = o.action,
                          .by_job = o.contender,
                          .rule = o.action,
                          .pods = {},
                          .runtime_lost_seconds = seconds_of(o.at - start.mapped()),
                          .alternatives = {}};
  }
  void write(Cluster& cluster) const {
    for (JobId j : ids(cluster.jobs())) {
      const auto found = receipts_.find(cluster.job(j).full_name());
      if (!cluster.job(j).present || found == receipts_.end()) continue;
      PodGroupObject group = answers::pod_group_of(cluster, j);
      group.eviction_receipt = answers::to_annotation(found->second);
      cluster.apply(std::move(group));
    }
  }

 private:
  std::map<std::string, TimePoint> started_;  // jobs that run
  std::map<std::string, answers::Receipt> receipts_;
};

struct Scores {
  Score after, during;
};

// What is said at some instants of all jobs that wait then, and when they started.
void play(const Load& load, std::uint64_t seed, Scores& scores) {
  const std::vector<TimePoint> instants = instants_of_looking();
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
  Receipts receipts;
  std::size_t next = 0;
  const SteadyStopwatch stopwatch;
  const auto look = [&](const cli::ClockState& clock) {
    if (next == instants.size() || clock.now < instants[next]) return true;
    ++next;
    Cluster copy = cluster;
    receipts.write(copy);
    copy.refresh(clock.now);
    const answers::State state{copy, policy, clock.now, &times};
    const answers::Outcome unchanged = answers::outcome_of(state);
    const answers::Futures futures(state, unchanged, {},
                                   {.time = std::chrono::minutes(10), .stopwatch = stopwatch});
    for (JobId j : ids(unchanged.cluster.jobs()))
      if (const Job& job = unchanged.cluster.job(j);
          job.present && !job.last_start && !answers::is_at_minimum(unchanged.cluster, j))
        said.push_back({unchanged.cluster.job(j).full_name(), clock.now, futures.of(j)});
    return true;
  };
  const RunOutcome outcome =
      cli::run_clock(cluster, policy, std::move(agenda), nullptr, {.timed = {.from = kStart, .seed = seed}},
                     {.goes_on = look, .on_occurrence = [&](const Occurrence& o) { receipts.see(o); }});
  std::map<std::string, std::optional<TimePoint>> starts;
  for (const JobOutcome& job : outcome.jobs) starts[job.name] = job.first_start;
  for (const Said& one : said)
    (one.at >= instants.back() ? scores.after : scores.during).add(one, starts[one.job]);
  scores.after.trace_ends();
  scores.during.trace_ends();
}

int run(const Load& load) {
  Scores scores;
  for (int seed = 1; seed <= load.traces; ++seed) {
    play(load, static_cast<std::uint64_t>(seed), scores);
    fmt::print(stderr, "\r{} of {} traces", seed, load.traces);
  }
  fmt::print(stderr, "\n");
  scores.after.tell("nobody comes any more");
  scores.during.tell("others keep coming");
  return 0;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  const auto number = [&](int which, int otherwise) {
    return which < count ? static_cast<int>(std::strtol(words[which], nullptr, 10)) : otherwise;
  };
  return muster::run({.traces = number(1, 100), .jobs = number(2, 200), .nodes = number(3, 12)});
}
