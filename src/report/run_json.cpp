// The outcome of a run as JSON, and the lines of a record. Jobs are written one by one because there may be
// many.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/run_figures.hpp"
#include "report/run_report.hpp"

namespace muster::report {
namespace {

using nlohmann::ordered_json;

constexpr const char* kRunSchema = "muster.dev/simulation/v1";
constexpr const char* kComparisonSchema = "muster.dev/comparison/v1";

// Writes whole numbers without a fraction.
ordered_json plain(double value) {
  if (std::abs(value) < 9e15 && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}
ordered_json plain(const std::optional<double>& value) { return value ? plain(*value) : ordered_json(); }
ordered_json gpus(std::int64_t thousandths) { return plain(static_cast<double>(thousandths) / 1000); }
ordered_json seconds_json(Duration d) { return plain(seconds_of(d)); }
ordered_json time_json(const std::optional<TimePoint>& t) {
  return t ? ordered_json(format_time(*t)) : ordered_json();
}

ordered_json waits_json(const std::optional<Spread>& s) {
  const auto of = [&](double Spread::*field) { return s ? plain((*s).*field) : ordered_json(); };
  return {{"mean", of(&Spread::mean)},
          {"p50", of(&Spread::p50)},
          {"p95", of(&Spread::p95)},
          {"p99", of(&Spread::p99)},
          {"max", of(&Spread::max)}};
}

ordered_json queue_json(const QueueFigures& q) {
  ordered_json evictions = ordered_json::object();
  for (const auto& [action, pods] : q.evictions) evictions[action] = pods;
  return {{"name", q.name},
          {"jobs", q.jobs},
          {"finished", q.finished},
          {"failed", q.failed},
          {"neverStarted", q.never_started},
          {"waitSeconds", waits_json(q.wait_seconds)},
          {"slowdown",
           {{"p50", q.slowdown ? plain(q.slowdown->p50) : ordered_json()},
            {"p95", q.slowdown ? plain(q.slowdown->p95) : ordered_json()}}},
          {"gpuSeconds", {{"used", plain(q.used)}, {"fair", plain(q.fair)}, {"lost", plain(q.lost)}}},
          {"evictions", std::move(evictions)},
          {"requeues", q.requeues}};
}

ordered_json job_json(const JobOutcome& job) {
  ordered_json json{{"name", job.name},
                    {"queue", job.queue},
                    {"gpus", gpus(job.gpus)},
                    {"submitted", format_time(job.submitted)},
                    {"firstStart", time_json(job.first_start)},
                    {"finished", time_json(job.finished)},
                    {"waitSeconds", job.wait() ? seconds_json(*job.wait()) : ordered_json()},
                    {"runSeconds", seconds_json(job.run)},
                    {"queuedSeconds", seconds_json(job.queued)},
                    {"heldIdleSeconds", seconds_json(job.held_idle)},
                    {"starts", job.starts},
                    {"evictions", job.evictions},
                    {"requeues", job.requeues},
                    {"usedGpuSeconds", plain(gpu_seconds(job.used))},
                    {"lostGpuSeconds", plain(gpu_seconds(job.lost))}};
  if (job.failed) json["failed"] = format_time(*job.failed);
  if (job.deleted) json["deleted"] = format_time(*job.deleted);
  if (!job.reason.empty()) json["reason"] = job.reason;
  return json;
}

ordered_json gpu_list(const std::vector<std::int64_t>& thousandths) {
  ordered_json list = ordered_json::array();
  for (const std::int64_t g : thousandths) list.push_back(gpus(g));
  return list;
}
ordered_json list_of(const std::vector<double>& values) {
  ordered_json list = ordered_json::array();
  for (const double v : values) list.push_back(plain(v));
  return list;
}

ordered_json series_json(const RunSeries& series) {
  ordered_json at = ordered_json::array(), queues = ordered_json::object();
  for (const TimePoint t : series.at) at.push_back(format_time(t));
  for (const auto& [name, q] : series.queues)
    queues[name] = {{"used", gpu_list(q.used)}, {"fair", list_of(q.fair)}};
  return {{"stepSeconds", seconds_json(series.step)},
          {"at", std::move(at)},
          {"gpusUsed", gpu_list(series.used)},
          {"gpusWanted", gpu_list(series.wanted)},
          {"gpus", gpu_list(series.capacity)},
          {"jobsWaiting", series.jobs_waiting},
          {"queues", std::move(queues)}};
}

ordered_json cluster_json(const RunOutcome& o, const RunFigures& figures) {
  return {{"nodes", o.nodes},
          {"gpus", gpus(o.gpus)},
          {"gpuUtilisation", plain(o.utilisation())},
          {"gpuFragmentation", plain(o.fragmentation())},
          {"makespanSeconds", plain(figures.makespan_seconds)},
          {"gpuSeconds",
           {{"used", plain(gpu_seconds(o.used))},
            {"idle", plain(gpu_seconds(o.capacity - o.used))},
            {"capacity", plain(gpu_seconds(o.capacity))}}}};
}

// Writes the fields of a run. The caller writes the braces around them.
class RunWriter {
 public:
  RunWriter(const Write& write, std::string indent) : write_(write), indent_(std::move(indent)) {}

  void field(const char* name, const ordered_json& value) { begin(name), write_(dump(value)); }

  template <class Items, class ToJson>
  void list(const char* name, const Items& items, ToJson to_json) {
    begin(name);
    const char* separator = "[\n";
    for (const auto& item : items) {
      write_(separator + indent_ + " " + dump(to_json(item)));
      separator = ",\n";
    }
    write_(items.empty() ? "[]" : "\n" + indent_ + "]");
  }

  void run(const RunOutcome& o) {
    const RunFigures figures = figures_of(o);
    field("from", format_time(o.from));
    field("to", format_time(o.to));
    field("cut", o.is_cut);
    field("cycles", o.cycles);
    field("wallSeconds", static_cast<std::int64_t>(o.wall_seconds));
    field("seed", o.seed);
    field("cluster", cluster_json(o, figures));
    list("queues", figures.queues, queue_json);
    list("jobs", o.jobs, job_json);
    field("series", series_json(o.series));
  }

 private:
  static std::string dump(const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  void begin(const char* name) {
    write_((std::exchange(has_fields_, true) ? ",\n" : "\n") + indent_ + "\"" + name + "\": ");
  }

  const Write& write_;
  const std::string indent_;
  bool has_fields_ = false;
};

}  // namespace

void write_run_json(const RunOutcome& outcome, const Write& write) {
  write("{");
  RunWriter writer(write, " ");
  writer.field("schema", kRunSchema);
  writer.run(outcome);
  write("\n}\n");
}

void write_comparison_json(std::span<const ComparedRun> runs, const Write& write) {
  write("{\n \"schema\": \"" + std::string(kComparisonSchema) + "\",\n \"runs\": [");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    write(i == 0 ? "\n  {" : ",\n  {");
    RunWriter writer(write, "   ");
    writer.field("config", runs[i].config);
    writer.run(runs[i].outcome);
    write("\n  }");
  }
  write("\n ],\n \"differences\": [");
  const char* separator = "\n  ";
  for (const Difference& d : differences_between(runs)) {
    ordered_json values = ordered_json::array();
    for (const auto& value : d.values) values.push_back(plain(value));
    write(
        separator +
        ordered_json{{"metric", d.metric}, {"values", std::move(values)}, {"ratio", plain(d.ratio)}}.dump());
    separator = ",\n  ";
  }
  write("\n ]\n}\n");
}

std::string record_line(const Occurrence& h) {
  ordered_json line{{"at", format_time(h.at)}, {"kind", h.kind}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) line[key] = value;
  };
  add("job", h.job);
  add("pod", h.pod);
  add("node", h.node);
  add("action", h.action);
  add("for", h.preemptor);
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace muster::report
