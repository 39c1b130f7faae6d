// Jobs and nodes that come from a trace, beside or instead of manifests.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/output.hpp"
#include "trace/nodes.hpp"
#include "trace/trace.hpp"

namespace CLI {
class App;
}

namespace muster::cli {

struct Inputs;

struct TraceInputOptions {
  std::string trace;   // "": none
  std::string format;  // one of trace::format_names()
  std::string map;     // "gpus=num_gpu, …"
  std::string nodes;   // a list of nodes; "": none

  bool is_empty() const { return trace.empty() && nodes.empty(); }
};

// --trace, and what says how it is read.
void add_trace_options(CLI::App& command, TraceInputOptions& options);
// The same without --trace itself.
void add_trace_map_options(CLI::App& command, TraceInputOptions& options);

class TraceInput {
 public:
  TraceInput(trace::Trace trace, trace::NodeList nodes)
      : trace_(std::make_shared<const trace::Trace>(std::move(trace))), nodes_(std::move(nodes)) {}

  const trace::Trace& trace() const { return *trace_; }
  const trace::NodeList& nodes() const { return nodes_; }

  // Where a run of it begins where nobody says another moment: nothing for a trace that counts from its
  // start.
  std::optional<TimePoint> start() const { return trace_->first_instant(); }

  // Before the manifests are read.
  void add_nodes(Inputs& inputs) const;
  // Once they are: the jobs that will arrive, and queues and priority classes that are missing, with a note.
  void add_jobs(Inputs& inputs) const;

 private:
  std::shared_ptr<const trace::Trace> trace_;
  trace::NodeList nodes_;
};

// What is wrong with rows goes to standard error; strict: and then ends it. Nothing, and `exit_code` set,
// where it can not be read.
std::optional<TraceInput> read_trace_input(const TraceInputOptions& options, bool strict, Notices& notices,
                                           int& exit_code);

}  // namespace muster::cli
