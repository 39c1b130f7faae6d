// How long each job runs, as far as anybody knows: it says so itself, its queue does, or others like it were
// seen. What is not known for sure is drawn.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "answers/run_history.hpp"
#include "answers/state.hpp"
#include "sim/agenda.hpp"

namespace muster::answers {

// What a future rests on: running jobs by what is known of their length.
struct EstimateBasis {
  std::int64_t expected = 0, history = 0, unknown = 0;
};

class RunLengths {
 public:
  // Of the jobs that run or wait on the cluster, which may be further on than that of the state.
  RunLengths(const State& state, const Cluster& cluster);

  // But for `wanted`, whose length nobody waits for.
  EstimateBasis basis(JobId wanted) const;
  // Whether two draws differ.
  bool is_random() const { return is_random_; }
  // Who has to do what, with every length drawn by the seed; what runs goes on at least until now.
  // `unknown`: how long those go on of whom nobody knows anything; nothing: for ever.
  Agenda draw(std::uint64_t seed, std::optional<Duration> unknown = {}) const;

 private:
  enum class Source : std::uint8_t { kUnknown, kExpected, kHistory };
  // What something that runs or will run has to do, and for how long it ran already.
  struct Length {
    std::string name;  // "namespace/name"
    Work work;
    Duration elapsed{};
    bool may_be_late = false;  // the length is what somebody expects, not what is so
  };
  struct OfJob {
    JobId job;
    Source source = Source::kUnknown;
    bool runs = false;
    Length length;
    std::vector<Length> pods;  // that say it themselves
  };

  void add(const State& state, const Cluster& cluster, JobId job);
  void note_randomness(const Length& length);

  std::vector<OfJob> jobs_;
  bool is_random_ = false;
};

}  // namespace muster::answers
