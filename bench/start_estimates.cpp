// Measures the quality of start estimates: simulates traces, estimates the starts of pending jobs on the way,
// and compares them with the actual starts.
//
//   muster_bench_starts [traces] [jobs per trace] [nodes]       on synthetic traces
//   muster_bench_starts DIRECTORY [every nth node] [slices]     on slices of the nodes of openb
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "answers/api_objects.hpp"
#include "answers/eviction_record.hpp"
#include "answers/start_estimate.hpp"
#include "policy/policy.hpp"
#include "sim/clock.hpp"
#include "trace/arrivals.hpp"
#include "trace/make.hpp"
#include "trace/nodes.hpp"
#include "trace/queues.hpp"

namespace muster {
namespace {

constexpr int kGpusPerNode = 8;
constexpr double kDays = 1;  // during which jobs arrive
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

// Run times as if this many similar jobs had ended before.
answers::RunFigureTable history_of(const Load& load, std::uint64_t seed) {
  answers::RunHistory history;
  const trace::Trace before = made_trace({.jobs = 4 * load.jobs}, seed + 1'000'000);
  for (const trace::TraceJob& job : before.jobs)
    history.add(before.texts[job.queue], before.texts[job.user], job.work.duration->first);
  return history.figures();
}

std::vector<NodeObject> made_nodes(const Load& load) {
  std::vector<NodeObject> nodes;
  for (int i = 0; i < load.nodes; ++i) {
    NodeObject& node = nodes.emplace_back();
    node.meta = {.name = fmt::format("node-{:03}", i), .uid = fmt::format("node-{:03}", i)};
    node.allocatable = {{"cpu", 128'000},
                        {"memory", std::int64_t{1} << 40},
                        {"nvidia.com/gpu", kGpusPerNode * kOneGpu},
                        {"pods", 110}};
  }
  return nodes;
}

struct Said {
  std::string job;
  TimePoint at{};
  answers::StartEstimate estimate;
};

// The input of a simulation, and the run times known before it begins.
struct Scene {
  std::shared_ptr<const trace::Trace> jobs;
  std::vector<NodeObject> nodes;
  answers::RunFigureTable history;  // none: as much as has ended by then
  std::uint64_t seed = 0;
};

// When to ask, and about which jobs.
class Questions {
 public:
  virtual ~Questions() = default;
  virtual bool is_time(TimePoint now) = 0;
  virtual bool is_about(const std::string& job) const = 0;
  virtual void note_asked(const std::string& job) = 0;
  // Whether each question has its own futures, which end when the job starts, within the time limits of
  // `explain`. Otherwise all questions share the same futures.
  virtual bool plays_for_each() const { return false; }
};

// Asks about all pending jobs, twice while others arrive and once after the last one. If no job is pending at
// such a time, it asks as soon as one is.
class AtInstants final : public Questions {
 public:
  static constexpr auto kLast = std::chrono::hours(24);

  bool is_time(TimePoint now) override {
    using std::chrono::hours;
    constexpr std::array kAfter{hours(12), hours(18), kLast};
    if (next_ >= kAfter.size() || now < kStart + kAfter[next_]) return false;
    ++next_;
    return true;
  }
  bool is_about(const std::string&) const override { return true; }
  void note_asked(const std::string&) override {}

 private:
  std::size_t next_ = 0;
};

// Asks about each of these jobs once, soon after its submission.
class OnceEach final : public Questions {
 public:
  explicit OnceEach(std::set<std::string> jobs) : jobs_(std::move(jobs)) {}

  bool is_time(TimePoint now) override {
    constexpr auto kBetween = std::chrono::minutes(30);
    if (last_ && now < *last_ + kBetween) return false;
    last_ = now;
    return true;
  }
  bool is_about(const std::string& job) const override { return jobs_.contains(job); }
  void note_asked(const std::string& job) override { jobs_.erase(job); }
  bool plays_for_each() const override { return true; }

 private:
  std::optional<TimePoint> last_;
  std::set<std::string> jobs_;
};

// Makes time limits independent of other load.
class ProcessorStopwatch final : public Stopwatch {
 public:
  Duration elapsed() const override {
    timespec used{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
  }
};

// The run times that `muster serve` would have recorded, by queue.
class Ended {
 public:
  explicit Ended(const trace::Trace& trace) {
    for (const trace::TraceJob& job : trace.jobs) queues_["default/" + job.name] = trace.texts[job.queue];
  }
  void see(const Occurrence& o) {
    if (o.kind == "start") started_.try_emplace(o.job, o.at);
    if (o.kind != "evict" && o.kind != "finish") return;
    const auto start = started_.extract(o.job);
    if (start && o.kind == "finish") history_.add(queues_[o.job], "", o.at - start.mapped());
  }
  answers::RunFigureTable figures() const { return history_.figures(); }

 private:
  std::map<std::string, std::string> queues_;
  std::map<std::string, TimePoint> started_;
  answers::RunHistory history_;
};

// Counts how often estimates came true. The jobs of one trace are correlated, so the error of a share is
// computed from its variation between traces.
class Score {
 public:
  void add(const Said& said, const std::optional<TimePoint>& start) {
    ++said_;
    if (!said.estimate.p50 || !said.estimate.p90) return;
    ++numbers_, ++trace_.numbers;
    if (!start) return;
    trace_.by_p50 += *start <= *said.estimate.p50;
    trace_.by_p90 += *start <= *said.estimate.p90;
    trace_.between += *start > *said.estimate.p50 && *start <= *said.estimate.p90;
    off_.push_back(
        seconds_of(*start > *said.estimate.p50 ? *start - *said.estimate.p50 : *said.estimate.p50 - *start));
    waits_.push_back(seconds_of(*start - said.at));
  }
  void trace_ends() {
    if (trace_.numbers > 0) traces_.push_back(std::exchange(trace_, {}));
  }
  void tell(const char* what) {
    fmt::print(
        "{}: {} estimates, {} with both numbers; started by p50 {}, by p90 {}, between them {}; median error "
        "{:.0f} min of a median wait of {:.0f} min\n",
        what, said_, numbers_, share(&Counts::by_p50), share(&Counts::by_p90), share(&Counts::between),
        middle(off_) / 60, middle(waits_) / 60);
  }

 private:
  struct Counts {
    int numbers = 0, by_p50 = 0, by_p90 = 0, between = 0;
  };
  // The share of all estimates, with the standard error of a mean over the traces.
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
  Counts trace_;  // of the current trace
  std::vector<Counts> traces_;
  std::vector<double> off_, waits_;
};

// Records the work done by evicted jobs, like the eviction records of `muster serve`.
class Receipts {
 public:
  void see(const Occurrence& o) {
    if (o.kind == "start") started_.try_emplace(o.job, o.at);
    if (o.kind != "evict") return;
    if (const auto start = started_.extract(o.job))
      receipts_[o.job] = {.at = format_time(o.at),
                          .action = o.action,
                          .by_job = o.preemptor,
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
  std::map<std::string, TimePoint> started_;  // running jobs
  std::map<std::string, answers::EvictionRecord> receipts_;
};

// The estimates for pending jobs, and when the jobs started.
struct Course {
  std::vector<Said> said;
  std::map<std::string, std::optional<TimePoint>> starts;
};

bool does_wait(const Cluster& cluster, JobId j) {
  const Job& job = cluster.job(j);
  return job.present && !job.last_start && !answers::is_at_minimum(cluster, j);
}

std::vector<JobId> asked_about(const Cluster& cluster, const Questions& questions) {
  std::vector<JobId> jobs;
  for (JobId j : ids(cluster.jobs()))
    if (does_wait(cluster, j) && questions.is_about(cluster.job(j).full_name())) jobs.push_back(j);
  return jobs;
}

using OnSaid = std::function<void(const Said&)>;

Course play(
    const Scene& scene, Questions& questions, const OnSaid& on_said = [](const Said&) {}) {
  std::vector<Error> errors;
  const Config config;
  Cluster cluster(policy::cluster_options(config.params));
  Policy policy = policy::make_policy(config, errors);
  Agenda agenda;
  for (const NodeObject& node : scene.nodes) {
    agenda.nodes[node.meta.name] = node;
    cluster.apply(node);
  }
  for (QueueObject& queue : trace::missing_queues(
                                *scene.jobs, [](const std::string&) { return false; }, kStart)
                                .queues)
    cluster.apply(std::move(queue));
  agenda.arrivals.push_back(
      std::make_unique<trace::TraceArrivals>(scene.jobs, kStart, config.params.scheduler_name));
  answers::KnownTimes times{.pods = {}, .groups = {}, .history = scene.history};
  Course course;
  Receipts receipts;
  Ended ended(*scene.jobs);
  const ProcessorStopwatch stopwatch;
  const Duration patience =
      questions.plays_for_each() ? Duration(std::chrono::seconds(1)) : std::chrono::minutes(10);
  const auto look = [&](const ClockState& clock) {
    if (asked_about(cluster, questions).empty() || !questions.is_time(clock.now)) return true;
    Cluster copy = cluster;
    receipts.write(copy);
    copy.refresh(clock.now);
    if (scene.history.empty()) times.history = ended.figures();
    const answers::State state{copy, policy, clock.now, &times};
    const answers::Outcome unchanged = answers::outcome_of(state);
    const std::vector<JobId> asked = asked_about(unchanged.cluster, questions);
    if (asked.empty()) return true;
    std::optional<answers::StartForecast> futures;
    for (JobId j : asked) {
      if (!futures || questions.plays_for_each())
        futures.emplace(state, unchanged, questions.plays_for_each() ? j : JobId(),
                        answers::FutureLimits{.time = patience, .stopwatch = stopwatch});
      const std::string name = unchanged.cluster.job(j).full_name();
      questions.note_asked(name);
      course.said.push_back({name, clock.now, futures->of(j)});
      on_said(course.said.back());
    }
    return true;
  };
  const auto see = [&](const Occurrence& o) {
    receipts.see(o);
    ended.see(o);
  };
  const RunOutcome outcome =
      run_clock(cluster, policy, std::move(agenda), nullptr, {.timed = {.from = kStart, .seed = scene.seed}},
                {.goes_on = look, .on_occurrence = see});
  for (const JobOutcome& job : outcome.jobs) course.starts[job.name] = job.first_start;
  return course;
}

int play_synthetic(const Load& load) {
  Score after, during;
  for (int i = 1; i <= load.traces; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    AtInstants questions;
    const Course course = play({.jobs = std::make_shared<const trace::Trace>(made_trace(load, seed)),
                                .nodes = made_nodes(load),
                                .history = history_of(load, seed),
                                .seed = seed},
                               questions);
    for (const Said& one : course.said)
      (one.at >= kStart + AtInstants::kLast ? after : during).add(one, course.starts.at(one.job));
    after.trace_ends();
    during.trace_ends();
    fmt::print(stderr, "\r{} of {} traces", i, load.traces);
  }
  fmt::print(stderr, "\n");
  after.tell("all jobs have arrived");
  during.tell("other jobs keep arriving");
  return 0;
}

std::string shown(const std::optional<TimePoint>& at) { return at ? format_time(*at) : "never"; }

int play_openb(const std::string& directory, int every, int slices) {
  auto jobs = trace::read_trace({.file = directory + "/openb_pod_list_default.csv", .format = "openb"});
  const auto nodes =
      trace::read_nodes({.file = directory + "/openb_node_list_gpu_node.csv", .format = "openb"});
  if (!jobs || !nodes) {
    fmt::print(stderr, "error: {}\n", (jobs ? nodes.error() : jobs.error()).text());
    return 3;
  }
  const auto shared = std::make_shared<const trace::Trace>(*std::move(jobs));
  Score score;
  for (int slice = 0; slice < slices; ++slice) {
    Scene scene{.jobs = shared, .nodes = {}, .history = {}, .seed = 1};
    for (std::size_t i = static_cast<std::size_t>(slice * every / slices); i < nodes->nodes.size();
         i += static_cast<std::size_t>(every))
      scene.nodes.push_back(nodes->nodes[i]);
    OnceEach no_questions({});
    const Course alone = play(scene, no_questions);  // questions do not change this run
    std::set<std::string> who_starts;
    for (const auto& [job, start] : alone.starts)
      if (start) who_starts.insert(job);
    OnceEach questions(std::move(who_starts));
    play(scene, questions, [&](const Said& one) {
      score.add(one, alone.starts.at(one.job));
      fmt::print(stderr, "{} {} p50 {} p90 {} started {}\n", one.job, format_time(one.at),
                 shown(one.estimate.p50), shown(one.estimate.p90), shown(alone.starts.at(one.job)));
    });
    score.trace_ends();
    score.tell(fmt::format("openb, one of {} nodes, {} of {} slices", every, slice + 1, slices).c_str());
  }
  return 0;
}

}  // namespace
}  // namespace muster

int main(int count, char** words) {
  const auto number = [&](int which, int otherwise) {
    return which < count ? static_cast<int>(std::strtol(words[which], nullptr, 10)) : otherwise;
  };
  const bool is_number = count < 2 || number(1, 0) > 0;
  if (!is_number) return muster::play_openb(words[1], std::max(1, number(2, 200)), std::max(1, number(3, 5)));
  return muster::play_synthetic({.traces = number(1, 100), .jobs = number(2, 200), .nodes = number(3, 12)});
}
