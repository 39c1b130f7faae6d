// Replays the run, compares it with the record line by line, and stops at the requested time.
#include "cli/explain/recorded_state.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/cli.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/simulate/run_record.hpp"
#include "report/run_report.hpp"
#include "sim/workload_controllers.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

int fail(int exit_code, const std::string& message) {
  write_message("error: {}", message);
  return exit_code;
}

// Parses a timestamp, or an offset from the start of the run.
std::optional<TimePoint> time_in_run(const std::string& text, TimePoint from) {
  if (const auto time = parse_time(text)) return time;
  const auto span = parse_duration(text);
  return span && *span >= Duration::zero() && *span <= kLastTime - from ? std::optional(from + *span)
                                                                        : std::nullopt;
}

// Compares the occurrences of the replayed run with the lines of the record, in order.
class Comparison {
 public:
  Comparison(const std::string& name, std::ifstream& file) : name_(name), file_(file) {}

  void see(const Occurrence& occurrence) {
    if (!problem_.empty()) return;
    std::string line;
    ++number_;
    if (!std::getline(file_, line))
      problem_ = fmt::format("{}: the record is incomplete: it ends after {} lines, but the run continues",
                             name_, number_ - 1);
    else if (line + "\n" != report::record_line(occurrence))
      problem_ = fmt::format(
          "{}:{}: the record says {}, but replaying the run gives {}; its files or muster have changed "
          "since; "
          "record it again",
          name_, number_, line,
          report::record_line(occurrence).substr(0, report::record_line(occurrence).size() - 1));
  }
  const std::string& problem() const { return problem_; }

 private:
  const std::string& name_;
  std::ifstream& file_;
  std::size_t number_ = 1;  // the first line describes the run
  std::string problem_;
};

std::string word_of(const nlohmann::json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void add_eviction(const nlohmann::json& line, TimePoint at, RecordedJob& job) {
  const std::string action = word_of(line, "action"), when = format_time(at);
  if (!job.eviction || job.eviction->at != when)
    job.eviction = answers::EvictionRecord{.at = when,
                                           .action = action,
                                           .by_job = word_of(line, "for"),
                                           .rule = action,
                                           .pods = {},
                                           .runtime_lost_seconds = {},
                                           .alternatives = {}};
  job.eviction->pods.push_back(word_of(line, "pod"));
}

}  // namespace

std::optional<RecordedState> RecordedState::read(const std::string& record, const std::string& at,
                                                 const loader::InputOptions& given, int& exit_code) {
  const auto no = [&](int code, const std::string& message) {
    exit_code = fail(code, message);
    return std::nullopt;
  };
  std::ifstream file(record);
  std::string first;
  if (!file) return no(kExternalFailure, record + ": cannot be read");
  std::getline(file, first);
  auto run = read_run_line(first);
  if (!run)
    return no(kNo,
              record +
                  ": not a record of a run: the first line does not describe one; `muster simulate --until T "
                  "--record FILE` writes records");
  if (!given.paths.empty()) run->inputs.paths = given.paths;
  if (!given.config.empty()) run->inputs.config = given.config;
  const TimePoint from = *parse_time(run->inputs.now);
  const auto point = time_in_run(at, from);
  if (!point)
    return no(
        kUsage,
        fmt::format("--at: \"{}\" is neither a timestamp (e.g. {}) nor an offset from the start (e.g. 3h)",
                    at, format_time(from)));
  const auto end = end_of_run(run->until, from);
  if (*point < from || (end && *point > *end))
    return no(kUsage, fmt::format("--at: {} is {} the run, which {} at {}", format_time(*point),
                                  *point < from ? "before" : "after", *point < from ? "begins" : "ends",
                                  format_time(*point < from ? from : *end)));
  RecordedState state;
  state.record_ = record;
  run->inputs.over_time = true;
  auto inputs = read_inputs(run->inputs, exit_code);
  if (!inputs) return std::nullopt;
  state.inputs_ = *std::move(inputs);
  state.times_ = state.inputs_.known_times();
  run->until.until = format_time(*point);
  Comparison comparison(record, file);
  const ClockWatchers watchers{.goes_on = [&](const ClockState&) { return comparison.problem().empty(); },
                               .on_cycle = {},
                               .on_occurrence = [&](const Occurrence& o) { comparison.see(o); }};
  if (!simulate_inputs(state.inputs_, run->until, exit_code, watchers)) return std::nullopt;
  if (!comparison.problem().empty()) return no(kNo, comparison.problem());
  state.inputs_.now = *point;
  state.inputs_.cluster.refresh(*point);
  return state;
}

RecordedJob RecordedState::job(const std::string& name) const {
  RecordedJob job;
  std::ifstream file(record_);
  for (std::string text; std::getline(file, text);) {
    if (text.find(name) == text.npos) continue;
    const auto line = nlohmann::json::parse(text, nullptr, false);
    const auto at = line.is_object() ? parse_time(word_of(line, "at")) : std::nullopt;
    if (!at || word_of(line, "job") != name) continue;
    const std::string kind = word_of(line, "kind");
    const bool is_past = *at <= inputs_.now, is_whole = !line.contains("pod");
    if (kind == "submit") job.submitted = *at;
    if (kind == "start" && is_past) job.eviction.reset();
    if (kind == "start" && !is_past && !job.start.at) job.start.at = *at;
    if (kind == "evict" && is_past) add_eviction(line, *at, job);
    if ((kind == "finish" || kind == "fail") && is_whole) job.ended = *at;
  }
  return job;
}

}  // namespace muster::cli
