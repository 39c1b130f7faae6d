// Durations of finished jobs by queue and user. Keeps a limited number of the latest ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/work.hpp"
#include "util/time.hpp"

namespace muster::answers {

struct RunFigures {
  std::int64_t jobs = 0;  // number of jobs
  Duration median{}, p90{};
};

// By queue and user; user "" means the whole queue.
using RunFigureTable = std::map<std::pair<std::string, std::string>, RunFigures>;

// The usual duration of similar jobs: of the user in the queue, else of the queue. Returns nothing if too few
// were seen.
std::optional<RunTime> usual_run_time(const RunFigureTable& table, const std::string& queue,
                                      const std::string& user);

class RunHistory {
 public:
  static constexpr std::size_t kMostRuns = 256;   // per queue and user
  static constexpr std::size_t kMostRows = 2000;  // beyond this, the least recently used row is dropped

  void add(const std::string& queue, const std::string& user, Duration ran);
  RunFigureTable figures() const;

 private:
  using Key = std::pair<std::string, std::string>;
  struct Runs {
    std::vector<Duration> last;
    std::size_t next = 0;  // index of the oldest, once the ring is full
    std::uint64_t heard = 0;
  };
  void note(const Key& key, Duration ran);
  void forget_oldest();

  std::map<Key, Runs> rows_;
  std::uint64_t clock_ = 0;
};

}  // namespace muster::answers
