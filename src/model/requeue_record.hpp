// Who was nominated to give way in a cycle, and what came of it. requeue.md.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.hpp"
#include "util/time.hpp"

namespace muster {

struct Nomination {
  JobId job;
  std::vector<std::string> by;         // plugins, in their order
  Duration overrun = Duration::zero();  // beyond what was expected
  std::string all_names() const;        // "expectedruntime,proportion"
};

struct NominationSkip {
  JobId job;
  std::string by, reason;
  std::string problem;  // what a user should mend; "": nothing
};

// A setting that was passed over in favour of a default.
struct RequeueWarning {
  JobId job;
  std::string problem;
};

struct RequeueRecord {
  std::vector<Nomination> nominated;
  std::vector<NominationSkip> skipped;
  std::vector<RequeueWarning> warnings;
  std::int64_t commits = 0, rollbacks = 0;
  std::map<std::string, std::int64_t> commits_by, rollbacks_by;                    // by nominators
  std::map<std::pair<std::string, std::string>, std::int64_t> passed_over;        // by nominators and reason
  bool is_dry_run = false;
  struct WouldEvict {
    TaskId task;
    JobId contender;
  };
  std::vector<WouldEvict> would_evict;  // of a dry run

  void nominate(JobId job, std::string_view plugin, Duration overrun);
  void skip(JobId job, std::string_view plugin, std::string_view reason, std::string problem = "");
};

}  // namespace muster
