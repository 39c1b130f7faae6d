// Turns rows into jobs field by field, and reports mistakes with their line.
#include "trace/trace.hpp"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "document/json.hpp"
#include "trace/column_map.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"
#include "trace/rows.hpp"
#include "trace/values.hpp"
#include "util/suggest.hpp"

namespace muster::trace {
namespace {

constexpr std::size_t kMostShown = 1000;  // most bad rows that are kept
constexpr std::int32_t kMostPods = 100'000;
constexpr std::array<std::string_view, 3> kPreemptibilities{"preemptible", "non-preemptible",
                                                            "semi-preemptible"};

constexpr std::size_t index(Field field) { return static_cast<std::size_t>(field); }

// A duration, or a distribution of durations.
Result<RunTime> run_time_in(const Value& value) {
  if (value.type == Value::Type::kText && value.text.ends_with(')')) {
    if (const auto drawn = parse_run_time(value.text)) return *drawn;
    return Error{
        fmt::format(
            "\"{}\" is not a distribution such as exp(2h), uniform(1h,3h) or lognormal(median=2h,p90=8h)",
            shortened(value.text)),
        {}};
  }
  auto fixed = duration_in(value);
  if (!fixed) return fixed.error();
  return RunTime{.first = *fixed};
}

// The fields of one row. Reading stops at the first mistake.
class JobRow {
 public:
  JobRow(const ColumnMap& map, const Format* format, std::span<const std::string_view> values, Trace& trace)
      : map_(map), format_(format), values_(values), trace_(trace) {}

  TraceJob job(const std::string& default_queue) {
    TraceJob job;
    take(Field::kJob, name_in, [&](std::string name) { job.name = std::move(name); });
    take(Field::kSubmit, moment_in, [&](Moment moment) { take_submit(moment, job); });
    job.queue = trace_.texts.id_of(default_queue);
    take_name(Field::kQueue, job.queue);
    take_name(Field::kUser, job.user);
    take_size(job);
    take_policy(job);
    take_work(job);
    return job;
  }

  const std::optional<Error>& mistake() const { return mistake_; }

 private:
  // The value of a field, translated to muster's terms; missing if the row has none.
  Value value(Field field) {
    auto value = map_.value(index(field), values_);
    if (!value) return fail(field, value.error().message), Value{};
    if (value->type == Value::Type::kText && is_nothing(value->text) && !is_name(field)) return {};
    if (format_ != nullptr && value->type == Value::Type::kText)
      for (const Translation& translation : format_->translations)
        if (translation.field == kFields[index(field)] && translation.from == value->text)
          return {.type = Value::Type::kText, .text = translation.to};
    return *value;
  }

  // Whether "None" in this field may be a name, for example of a queue.
  static bool is_name(Field field) {
    return field == Field::kJob || field == Field::kQueue || field == Field::kUser;
  }

  bool is_needed(Field field) const {
    return format_ != nullptr &&
           std::ranges::find(format_->needed, kFields[index(field)]) != format_->needed.end();
  }

  template <class Read, class Use>
  void take(Field field, Read read, Use use) {
    if (mistake_) return;
    const Value found = value(field);
    if (found.is_missing() && is_needed(field)) fail(field, "is missing");
    if (mistake_ || found.is_missing()) return;
    auto result = read(found);
    if (!result) return fail(field, result.error().message);
    use(std::move(*result));
  }

  void take_name(Field field, TextId& id) {
    take(field, name_in, [&](const std::string& name) { id = trace_.texts.id_of(name); });
  }

  void take_submit(const Moment& moment, TraceJob& job) {
    if (trace_.rows > 1 && moment.is_instant != trace_.has_instants && !trace_.jobs.empty())
      return fail(Field::kSubmit,
                  moment.is_instant
                      ? "is a timestamp, but earlier rows have seconds from the start"
                      : "is a number of seconds from the start, but earlier rows have timestamps");
    trace_.has_instants = moment.is_instant;
    job.submit = moment.at;
  }

  void take_size(TraceJob& job) {
    const auto pods = [](const Value& v) { return count_in(v, 1, kMostPods); };
    take(Field::kPods, pods, [&](std::int32_t count) { job.pods = count; });
    job.min = job.pods;
    take(Field::kMin, pods, [&](std::int32_t count) { job.min = count; });
    if (!mistake_ && job.min > job.pods)
      fail(Field::kMin, fmt::format("{} is more than the {} pods of the job", job.min, job.pods));
    take(Field::kGpus, gpus_in, [&](GpuAmount gpus) { job.gpus = gpus.whole, job.gpu_share = gpus.share; });
    take(Field::kCpu, milli_cores_in, [&](std::int64_t amount) { job.milli_cores = amount; });
    take(Field::kMemory, bytes_in, [&](std::int64_t amount) { job.bytes = amount; });
    take_name(Field::kGpuModel, job.gpu_model);
  }

  void take_policy(TraceJob& job) {
    take_name(Field::kPriority, job.priority);
    take(Field::kPreemptibility, name_in, [&](const std::string& text) {
      if (std::ranges::find(kPreemptibilities, text) == kPreemptibilities.end())
        return fail(Field::kPreemptibility,
                    fmt::format("\"{}\" is not one of {}{}", shortened(text),
                                fmt::join(kPreemptibilities, ", "), did_you_mean(text, kPreemptibilities)));
      job.preemptibility = trace_.texts.id_of(text);
    });
    take(Field::kExpectedRuntime, duration_in, [&](Duration d) { job.expected_runtime = d; });
  }

  void take_work(TraceJob& job) {
    Work& work = job.work;
    take(Field::kDuration, run_time_in, [&](const RunTime& time) { work.duration = time; });
    take(Field::kWork, duration_in, [&](Duration d) { work.work = d; });
    take(Field::kCheckpointEvery, duration_in, [&](Duration d) { work.checkpoint_every = d; });
    take(Field::kRestartCost, duration_in, [&](Duration d) { work.restart_cost = d; });
    take(Field::kFailsAfter, duration_in, [&](Duration d) { work.fails_after = d; });
    if (!mistake_ && work.work && work.duration)
      fail(Field::kWork, "cannot be combined with a duration; give only one of them");
  }

  void fail(Field field, const std::string& message) {
    if (!mistake_) mistake_ = Error{message, {.path = map_.described(index(field))}};
  }

  const ColumnMap& map_;
  const Format* const format_;
  const std::span<const std::string_view> values_;
  Trace& trace_;
  std::optional<Error> mistake_;
};

class TraceReader {
 public:
  TraceReader(const TraceOptions& options, const Format* format, ColumnMap map)
      : options_(options), format_(format), map_(std::move(map)) {
    trace_.file = options.file;
  }

  RowUse use() {
    return {.wanted = [this](const Header& header) { return bind(header); },
            .row = [this](const Location& where, auto values) { take(where, values); },
            .bad_row = [this](const Error& error) { ++trace_.rows, skip(error); },
            .derived = format_ != nullptr ? format_->derived : nullptr};
  }

  Trace finish() {
    std::ranges::stable_sort(trace_.jobs, {}, &TraceJob::submit);
    note_missing_columns();
    return std::move(trace_);
  }

 private:
  Result<std::vector<std::string>> bind(const Header& header) {
    const bool is_ours = options_.map.empty() && format_ == nullptr;
    const auto is_field = [](const std::string& name) {
      return std::ranges::find(kFields, name) != kFields.end();
    };
    if (is_ours && std::ranges::none_of(header.columns, is_field))
      return Error{fmt::format("has none of the known columns ({}); map its columns with --trace-map or "
                               "--trace-format",
                               fmt::join(kFields, ", ")),
                   {}};
    auto wanted = map_.bind(header);
    if (wanted && is_ours && !map_.unused().empty())
      trace_.notes.push_back(fmt::format("ignored columns: {}", fmt::join(map_.unused(), ", ")));
    return wanted;
  }

  void take(const Location& where, std::span<const std::string_view> values) {
    ++trace_.rows;
    JobRow row(map_, format_, values, trace_);
    TraceJob job = row.job(options_.default_queue);
    std::optional<Error> mistake = row.mistake();
    if (!mistake && job.name.empty()) {
      if (map_.has(index(Field::kJob)))
        mistake = Error{"is missing", {.path = map_.described(index(Field::kJob))}};
      else
        job.name = fmt::format("job-{}", trace_.rows);
    }
    if (!mistake) mistake = repeated(job, where);
    if (!mistake) return trace_.jobs.push_back(std::move(job));
    mistake->where.file = where.file, mistake->where.line = where.line, mistake->where.object = where.object;
    skip(*mistake);
  }

  std::optional<Error> repeated(const TraceJob& job, const Location& where) {
    const int place = where.line > 0 ? where.line : static_cast<int>(trace_.rows);
    const auto [first, is_new] = lines_.try_emplace(job.name, place);
    if (is_new) return std::nullopt;
    return Error{fmt::format("job \"{}\" already appears in {} {}", shortened(job.name),
                             where.line > 0 ? "line" : "row", first->second),
                 {.path = map_.described(index(Field::kJob))}};
  }

  void skip(const Error& error) {
    ++trace_.skipped;
    if (trace_.bad_rows.size() < kMostShown) trace_.bad_rows.push_back(error);
  }

  void note_missing_columns() {
    if (!map_.has(index(Field::kSubmit)))
      trace_.notes.emplace_back("no column submit: all jobs arrive at the start");
    if (!map_.has(index(Field::kDuration)) && !map_.has(index(Field::kWork)))
      trace_.notes.emplace_back("no column duration: jobs run forever");
  }

  const TraceOptions& options_;
  const Format* const format_;
  ColumnMap map_;
  Trace trace_;
  absl::flat_hash_map<std::string, int> lines_;  // line of each job name
};

Result<TraceReader> reader_of(const TraceOptions& options) {
  const Format* format = nullptr;
  ColumnMap map(kFields);
  if (!options.format.empty()) {
    const auto names = format_names();
    format = find_format(options.format);
    if (format == nullptr)
      return Error{fmt::format("--trace-format: \"{}\" is not one of {}{}", options.format,
                               fmt::join(names, ", "), did_you_mean(options.format, names)),
                   {}};
    if (auto assigned = map.assign(format->jobs); !assigned) return assigned.error();
  }
  if (!options.map.empty())
    if (auto assigned = map.assign(options.map); !assigned)
      return Error{"--trace-map: " + assigned.error().message, {}};
  return TraceReader(options, format, std::move(map));
}

}  // namespace

TextId InternedTexts::id_of(std::string_view text) {
  if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
  texts_.emplace_back(text);
  const auto id = static_cast<TextId>(texts_.size() - 1);
  ids_.emplace(text, id);
  return id;
}

Result<Trace> read_trace(const TraceOptions& options) {
  auto reader = reader_of(options);
  if (!reader) return reader.error();
  if (auto read = read_rows(options.file, reader->use()); !read) return read.error();
  return reader->finish();
}

Result<Trace> read_trace_in(const TraceOptions& options, std::string_view text) {
  auto reader = reader_of(options);
  if (!reader) return reader.error();
  if (auto read = read_rows_in(options.file, text, reader->use()); !read) return read.error();
  return reader->finish();
}

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const Format& format : formats()) names.push_back(format.name);
  return names;
}

}  // namespace muster::trace
