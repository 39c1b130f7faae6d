// The jobs of a trace: their submission times, requests and durations.
//
//   auto trace = read_trace({.file = "jobs.csv", .format = "openb"});
//   for (const TraceJob& job : trace->jobs) …   // in order of submission
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

// An interned text. Two texts of one trace are equal if their ids are. Id 0 is "".
using TextId = std::uint32_t;

class InternedTexts {
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
  TimePoint submit{};  // since 1970 if the trace has timestamps; otherwise since the start
  TextId queue = 0, user = 0, gpu_model = 0, priority = 0, preemptibility = 0;
  std::int32_t pods = 1, min = 1;
  std::int32_t gpus = 0;  // whole GPUs per pod
  double gpu_share = 0;   // of one GPU, unless it is 0
  std::int64_t milli_cores = 0, bytes = 0;
  Work work;
  std::optional<Duration> expected_runtime;
};

struct Trace {
  std::string file;
  std::vector<TraceJob> jobs;  // in order of submission; jobs of the same time in file order
  InternedTexts texts;
  bool has_instants = false;
  std::size_t rows = 0, skipped = 0;
  std::vector<Error> bad_rows;  // the first of the skipped rows
  std::vector<std::string> notes;

  // The arrival time of a job in a simulation that begins at `start`.
  TimePoint submitted(const TraceJob& job, TimePoint start) const {
    return has_instants ? job.submit : start + job.submit.time_since_epoch();
  }
  // The first timestamp, if the trace has timestamps: the default start of a simulation.
  std::optional<TimePoint> first_instant() const {
    if (!has_instants || jobs.empty()) return std::nullopt;
    return jobs.front().submit;
  }
};

struct TraceOptions {
  std::string file;                             // "-" is standard input
  std::string format;                           // one of format_names(); "" for our own columns
  std::string map;                              // for example "gpus=num_gpu, …"; overrides the format
  std::string default_queue = "default-queue";  // for jobs that name no queue
};

// Mistakes in rows are in the trace. An Error concerns the file or the options.
Result<Trace> read_trace(const TraceOptions& options);
Result<Trace> read_trace_in(const TraceOptions& options, std::string_view text);

// The names of the formats as documented.
std::vector<std::string_view> format_names();

}  // namespace muster::trace
