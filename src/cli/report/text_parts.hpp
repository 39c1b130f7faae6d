// The parts of the text output, each in a file of its own; a part begins with its heading or is empty.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text_style.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {

// Jobs by name, with their namespace only where there is more than one.
class JobNames {
 public:
  explicit JobNames(const Cluster& cluster);
  std::string of(JobId job) const {
    return has_namespaces_ ? cluster_.job(job).full_name() : cluster_.job(job).name;
  }

 private:
  const Cluster& cluster_;
  bool has_namespaces_ = false;
};

// What happened: a heading per cycle and a line per job that something happened to; cycles without are drawn
// together.
std::string rounds_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style);

// The queues as an indented tree. Fair share and what is wanted as the last cycle computed them; in use as it
// stands now. GPUs always; CPU and memory where some queue has a bound on them, or the style is wide.
std::string queues_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style);

// Each job with its queue, its pods and where they run, in the order of the queue tree, then by priority and
// age.
std::string jobs_text(const Cluster& cluster, const TextStyle& style);

// Who agreed to give way, and what came of it; empty where no job opted in.
std::string requeue_text(const Cluster& cluster, const std::vector<Round>& rounds, const TextStyle& style);

// Who waits and why: a paragraph per reason, which jobs that wait for the same one share.
std::string waiting_text(const Cluster& cluster, const std::vector<Round>& rounds,
                         const std::vector<WaitingJob>& waiting, const TextStyle& style);

}  // namespace muster::cli
