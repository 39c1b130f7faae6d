// The state of a cluster at some time in a recorded simulation (`muster simulate --record`). The run is
// replayed up to that time and must match the record.
#pragma once

#include <optional>
#include <string>

#include "answers/explain.hpp"
#include "loader/inputs.hpp"

namespace muster::cli {

// What the record says about one job, seen from the requested time.
struct RecordedJob {
  std::optional<TimePoint> submitted, ended;
  // The last eviction before that time, unless the job has started again.
  std::optional<answers::EvictionRecord> eviction;
  answers::RecordedStart start;
};

class RecordedState {
 public:
  // `at` is a timestamp or an offset from the start of the run. `given` overrides the paths in the record if
  // its files have moved. On failure prints a message, sets `exit_code` and returns nullopt.
  static std::optional<RecordedState> read(const std::string& record, const std::string& at,
                                           const loader::InputOptions& given, int& exit_code);

  loader::Inputs& inputs() { return inputs_; }  // `now` is the requested time
  const answers::KnownTimes& times() const { return times_; }
  // `name` is "namespace/name".
  RecordedJob job(const std::string& name) const;

 private:
  std::string record_;
  loader::Inputs inputs_;
  answers::KnownTimes times_;
};

}  // namespace muster::cli
