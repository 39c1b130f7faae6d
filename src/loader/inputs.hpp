// Reads the inputs of several commands: a configuration and a cluster from files, with errors and warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/state.hpp"
#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "loader/kept_files.hpp"
#include "loader/trace_input.hpp"
#include "manifest/manifest.hpp"
#include "model/cluster.hpp"
#include "sim/agenda.hpp"
#include "sim/workload_controllers.hpp"

namespace muster::loader {

struct InputOptions {
  std::vector<std::string> paths;
  std::string config;                    // "": the default configuration
  std::string config_flag = "--config";  // the option that sets `config`
  std::string live;                      // the path among `paths` that holds the state of a live cluster
  std::string usage;                     // "": queues have no past usage
  std::string now;                       // an RFC 3339 timestamp; "": the current time
  loader::TraceInputOptions trace;
  bool kai_exact = false;
  bool strict = false;        // warnings are errors
  bool expects_work = false;  // warn if the files have no job, no node or no queue
  bool over_time = false;     // objects appear at their creation time, and steps are applied
};

struct Inputs {
  Config config;
  Policy policy;
  TimePoint now{};
  Cluster cluster;
  std::size_t files = 0;          // number of files with manifests
  Findings findings;              // of all files
  std::vector<Error> unreadable;  // files that cannot be opened
  std::vector<std::string> notes;
  KeptFiles kept;  // files that were scanned and must still be read
  std::optional<loader::TraceInput> trace;
  bool over_time = false;
  Agenda agenda;  // the work of pods; if `over_time`, also objects that appear later
  std::vector<ControlledWorkload> workloads;  // if `over_time`: workloads whose controllers create pods later

  answers::RunFigureTable history;  // how long jobs ran, if a snapshot records it

  // The known durations, for questions about jobs.
  answers::KnownTimes known_times() const { return {agenda.pods, agenda.groups, history}; }
  // The exit code for a command with these inputs: kSuccess if it can go on.
  int exit_code(bool strict) const;
};

// Whether the file can be opened; if not, adds it to `unreadable`. "-" is standard input.
bool is_readable(const std::string& file, std::vector<Error>& unreadable);

// Reads and checks all inputs, continuing after errors. A trace must be read before, since it may set the
// start time.
Inputs read_all(const InputOptions& options, std::optional<loader::TraceInput> trace = std::nullopt);

}  // namespace muster::loader
