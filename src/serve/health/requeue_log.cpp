// What requeue did and what is to be mended, line by line.
#include "serve/health/requeue_log.hpp"

#include "model/cluster.hpp"
#include "model/requeue_text.hpp"
#include "serve/health/log.hpp"

namespace muster::serve {

void RequeueLog::tell(const Cluster& cluster, const RequeueRecord& record) {
  std::set<std::pair<std::string, std::string>> to_mend;
  for (const RequeueLine& line : requeue_lines(cluster, record, log_.verbosity())) {
    if (line.is_warning) {
      const auto [known, is_new] = to_mend.emplace(line.subject, line.text);
      if (to_mend_.contains(*known)) continue;
    }
    log_.at(line.verbosity, line.is_warning ? LogLevel::kWarning : level_of(line.verbosity), line.text);
  }
  to_mend_ = std::move(to_mend);
}

}  // namespace muster::serve
