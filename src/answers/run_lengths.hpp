// Determines how long each job runs, if known: from the job itself, from its queue, or from similar jobs in
// the past. Uncertain durations are drawn at random.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/run_history.hpp"
#include "answers/state.hpp"
#include "sim/agenda.hpp"

namespace muster::answers {

// The basis of an estimate: numbers of running jobs by the source of their duration.
struct EstimateBasis {
  std::int64_t expected = 0, history = 0, unknown = 0;
};

class RunLengths {
 public:
  // Covers the jobs that run or are pending on `cluster`, which may be later than the cluster of the state.
  RunLengths(const State& state, const Cluster& cluster);

  // Counts all running jobs except `excluded`.
  EstimateBasis basis(JobId excluded) const;
  // True if two draws differ.
  bool is_random() const { return is_random_; }
  // The remaining work of each job, with every duration drawn by the seed; running jobs end no earlier than
  // now. Jobs of unknown duration run for another `unknown`, or forever if it is not given.
  Agenda draw(std::uint64_t seed, std::optional<Duration> unknown = {}) const;

 private:
  enum class Source : std::uint8_t { kUnknown, kExpected, kHistory };
  // The work of a pod or job, and how long it has already run.
  struct Length {
    std::string name;  // "namespace/name"
    Work work;
    Duration elapsed{};
    bool may_be_late = false;  // the duration is an expectation, not a fact
  };
  struct OfJob {
    JobId job;
    Source source = Source::kUnknown;
    bool runs = false;
    Length length;
    std::vector<Length> pods;  // pods that declare durations of their own
  };

  void add(const State& state, const Cluster& cluster, JobId job);
  void note_randomness(const Length& length);

  std::vector<OfJob> jobs_;
  bool is_random_ = false;
};

}  // namespace muster::answers
