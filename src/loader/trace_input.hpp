// Jobs and nodes from a trace, in addition to manifests or instead of them.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "trace/nodes.hpp"
#include "trace/trace.hpp"

namespace muster::loader {

struct Inputs;

struct TraceInputOptions {
  std::string trace;   // "": none
  std::string format;  // one of trace::format_names()
  std::string map;     // "gpus=num_gpu, …"
  std::string nodes;   // a list of nodes; "": none

  bool is_empty() const { return trace.empty() && nodes.empty(); }
};

class TraceInput {
 public:
  TraceInput(trace::Trace trace, trace::NodeList nodes)
      : trace_(std::make_shared<const trace::Trace>(std::move(trace))), nodes_(std::move(nodes)) {}

  const trace::Trace& trace() const { return *trace_; }
  const trace::NodeList& nodes() const { return nodes_; }

  // The default start time of a run. Returns nullopt for a trace with times relative to its start.
  std::optional<TimePoint> start() const { return trace_->first_instant(); }

  // Adds the nodes. Call before the manifests are read.
  void add_nodes(Inputs& inputs) const;
  // Adds the arriving jobs, and missing queues and priority classes. Call after the manifests are read.
  void add_jobs(Inputs& inputs) const;

 private:
  std::shared_ptr<const trace::Trace> trace_;
  trace::NodeList nodes_;
};

}  // namespace muster::loader
