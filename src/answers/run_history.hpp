// How long jobs ran that have ended, by queue and user: the last of them, so that it never grows beyond
// bounds.
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
  std::int64_t jobs = 0;  // that they are of
  Duration median{}, p90{};
};

// By queue and user; user "": all of the queue.
using RunFigureTable = std::map<std::pair<std::string, std::string>, RunFigures>;

// What jobs like it took: of its user in its queue, else of its queue; nothing where too few were seen.
std::optional<RunTime> usual_run_time(const RunFigureTable& table, const std::string& queue,
                                      const std::string& user);

class RunHistory {
 public:
  static constexpr std::size_t kMostRuns = 256;   // of one queue and user
  static constexpr std::size_t kMostRows = 2000;  // who was not heard of for longest is forgotten

  void add(const std::string& queue, const std::string& user, Duration ran);
  RunFigureTable figures() const;

 private:
  using Who = std::pair<std::string, std::string>;
  struct Runs {
    std::vector<Duration> last;
    std::size_t next = 0;  // the oldest of them, once there are as many as are kept
    std::uint64_t heard = 0;
  };
  void note(const Who& who, Duration ran);
  void forget_oldest();

  std::map<Who, Runs> rows_;
  std::uint64_t clock_ = 0;
};

}  // namespace muster::answers
