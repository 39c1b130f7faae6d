// What several commands read: a configuration and a cluster from files, and all that is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/state.hpp"
#include "cli/input/kept_files.hpp"
#include "cli/input/traces.hpp"
#include "config/config.hpp"
#include "engine/cycle/policy.hpp"
#include "manifest/manifest.hpp"
#include "model/cluster.hpp"
#include "sim/agenda.hpp"

namespace muster::cli {

struct InputOptions {
  std::vector<std::string> paths;
  std::string config;                    // "": the default configuration
  std::string config_flag = "--config";  // by which it is given
  std::string live;                      // the one of the paths that holds what a live cluster told
  std::string usage;                     // "": queues have no past
  std::string now;                       // an RFC 3339 time; "": the clock's
  TraceInputOptions trace;
  bool kai_exact = false;
  bool strict = false;         // warnings are errors
  bool expects_work = false;   // files without a job, a node or a queue are worth a warning
  bool over_time = false;      // objects that are created later come later, and steps are taken
  Notices* notices = nullptr;  // what earlier readings said; null: there were none
};

// A workload of the files, and the pods that it has.
struct FileWorkload {
  std::string object;             // as JSON text
  std::vector<std::string> pods;  // names
};

struct Inputs {
  Config config;
  Policy policy;
  TimePoint now{};
  Cluster cluster;
  std::size_t files = 0;          // with manifests
  Findings findings;              // of all files
  std::vector<Error> unreadable;  // files that can not be opened
  std::vector<std::string> notes;
  KeptFiles kept;  // what was looked into and is still to be read
  std::optional<TraceInput> trace;
  bool over_time = false;
  Agenda agenda;                        // what pods have to do; where `over_time`, what comes later, too
  std::vector<FileWorkload> workloads;  // whose controllers are to go on: likewise

  answers::RunFigureTable history;  // how long jobs ran, where a snapshot tells

  // For questions about jobs.
  answers::KnownTimes known_times() const { return {agenda.pods, agenda.groups, history}; }
  // kSuccess, or how a command ends that was given them.
  int exit_code(bool strict) const;
};

// Notes the file where it can not be opened. "-" is standard input.
bool is_readable(const std::string& file, std::vector<Error>& unreadable);

// Reads on after errors, and checks what was read. A trace, where there is one, was read before: it may say
// when now is.
Inputs read_all(const InputOptions& options, std::optional<TraceInput> trace = std::nullopt);

// Tells standard error what is wrong. Nothing, and `exit_code` set, where the run can not go on.
std::optional<Inputs> read_inputs(const InputOptions& options, int& exit_code);

}  // namespace muster::cli
