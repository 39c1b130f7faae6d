// A cluster as it was at a moment of a simulation, from the record of it (`muster simulate --record`): the
// run is played again up to then, and must say what the record says.
#pragma once

#include <optional>
#include <string>

#include "answers/explain.hpp"
#include "cli/input/inputs.hpp"

namespace muster::cli {

// What a record tells of one job, seen from a moment.
struct RecordedJob {
  std::optional<TimePoint> submitted, ended;
  std::optional<answers::Receipt> eviction;  // the last before, unless it started again
  answers::RecordedStart start;
};

class RecordedState {
 public:
  // Nothing, with a message and `exit_code` set, where it can not be had. `at`: an instant, or how long after
  // the beginning. `given` names files where those of the record are elsewhere now.
  static std::optional<RecordedState> read(const std::string& record, const std::string& at,
                                           const InputOptions& given, int& exit_code);

  Inputs& inputs() { return inputs_; }  // `now` is the moment
  const answers::KnownTimes& times() const { return times_; }
  // By "namespace/name".
  RecordedJob job(const std::string& name) const;

 private:
  std::string record_;
  Inputs inputs_;
  answers::KnownTimes times_;
};

}  // namespace muster::cli
