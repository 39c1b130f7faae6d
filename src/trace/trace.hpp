// The jobs of a trace: what was submitted when, wanted what, and how long it ran.
//
//   auto trace = read_trace({.file = "jobs.csv", .format = "openb"});
//   for (const TraceJob& job : trace->jobs) …   // in the order in which they are submitted
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/work.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::trace {

// A text that many jobs share; those of one trace compare as their ids do. 0: "".
using TextId = std::uint32_t;

class SharedTexts {
 public:
  TextId id_of(std::string_view text);
  const std::string& operator[](TextId id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::string> texts_{""};
  std::map<std::string, TextId, std::less<>> ids_{{"", 0}};
};

struct TraceJob {
  std::string name;
  TimePoint submit{};  // since 1970 where the trace has instants, else what has passed since the start
  TextId queue = 0, user = 0, gpu_model = 0, priority = 0, preemptibility = 0;
  std::int32_t pods = 1, min = 1;
  std::int32_t gpus = 0;  // whole ones, of each pod
  double gpu_share = 0;   // of one GPU, where it is not 0
  std::int64_t milli_cores = 0, bytes = 0;
  Work work;
  std::optional<Duration> expected_runtime;
};

struct Trace {
  std::string file;
  std::vector<TraceJob> jobs;  // by submission, those of one moment as in the file
  SharedTexts texts;
  bool has_instants = false;
  std::size_t rows = 0, skipped = 0;
  std::vector<Error> bad_rows;  // the first of those that were skipped
  std::vector<std::string> notes;

  // When a job arrives in a simulation that begins at `start`.
  TimePoint submitted(const TraceJob& job, TimePoint start) const {
    return has_instants ? job.submit : start + job.submit.time_since_epoch();
  }
  // The first instant of a trace that has instants: where a simulation of it begins by itself.
  std::optional<TimePoint> first_instant() const {
    if (!has_instants || jobs.empty()) return std::nullopt;
    return jobs.front().submit;
  }
};

struct TraceOptions {
  std::string file;                             // "-": standard input
  std::string format;                           // one of format_names(), "": our own columns
  std::string map;                              // "gpus=num_gpu, …", goes before the format
  std::string default_queue = "default-queue";  // of jobs that name none
};

// What is wrong with rows is in the trace; an Error is about the file, or about the options.
Result<Trace> read_trace(const TraceOptions& options);
Result<Trace> read_trace_in(const TraceOptions& options, std::string_view text);

// The names of the formats, as the documentation has them.
std::vector<std::string_view> format_names();

}  // namespace muster::trace
