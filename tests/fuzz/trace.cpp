// Any text as a list of jobs and as a list of nodes, in our columns and in those of public traces: it is read
// or rejected, the same way twice, and every job that is read can be submitted.
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "trace/arrivals.hpp"
#include "trace/nodes.hpp"

namespace {

using namespace muster;

std::string told(const Result<trace::Trace>& read) {
  if (!read) return read.error().text();
  std::string text = fmt::format("{} {} {}\n", read->rows, read->skipped, read->has_instants);
  for (const trace::TraceJob& job : read->jobs)
    text += fmt::format("{} {} {} {}/{} {} {} {} {}\n", job.name, format_time(job.submit), job.queue, job.min,
                        job.pods, job.gpus, job.gpu_share, job.milli_cores, job.bytes);
  for (const Error& error : read->bad_rows) text += error.text() + "\n";
  return text;
}

bool makes_sense(const trace::TraceJob& job) {
  return !job.name.empty() && job.pods >= 1 && job.min >= 1 && job.min <= job.pods && job.gpus >= 0 &&
         job.gpu_share >= 0 && job.gpu_share < 1 && job.milli_cores >= 0 && job.bytes >= 0 &&
         (!job.work.duration || job.work.duration->first >= Duration::zero());
}

bool can_be_submitted(const trace::Trace& read, const trace::TraceJob& job) {
  constexpr int kMany = 100;
  if (job.pods > kMany) return true;
  const auto objects = trace::objects_of(read, job, read.submitted(job, TimePoint()), "kai-scheduler");
  return objects.size() == static_cast<std::size_t>(job.pods) + 1;
}

void check_jobs(const trace::TraceOptions& options, std::string_view text) {
  const auto read = trace::read_trace_in(options, text);
  if (told(read) != told(trace::read_trace_in(options, text))) std::abort();
  if (!read) return;
  if (read->jobs.size() + read->skipped != read->rows) std::abort();
  for (const trace::TraceJob& job : read->jobs)
    if (!makes_sense(job) || !can_be_submitted(*read, job)) std::abort();
}

void check_nodes(const std::string& format, std::string_view text) {
  const auto read = trace::read_nodes_in({.file = "fuzz", .format = format}, text);
  if (!read) return;
  if (read->nodes.size() + read->skipped < read->rows) std::abort();
  for (const NodeObject& node : read->nodes)
    for (const NamedAmount& amount : node.allocatable)
      if (amount.units < 0) std::abort();
}

}  // namespace

// The first byte chooses the format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto formats = trace::format_names();
  formats.insert(formats.begin(), "");
  const std::string format(formats[data[0] % formats.size()]);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_jobs({.file = "fuzz", .format = format}, text);
  check_nodes(format, text);
  return 0;
}
