// Logs what requeue did and which settings need correction.
#include "serve/health/requeue_log.hpp"

#include "model/cluster.hpp"
#include "model/requeue_text.hpp"
#include "serve/health/log.hpp"

namespace muster::serve {

void RequeueLog::write(const Cluster& cluster, const RequeueRecord& record) {
  std::set<std::pair<std::string, std::string>> current;
  for (const RequeueLine& line : requeue_lines(cluster, record, log_.verbosity())) {
    if (line.is_warning) {
      const auto [known, is_new] = current.emplace(line.subject, line.text);
      if (warned_.contains(*known)) continue;
    }
    log_.at(line.verbosity, line.is_warning ? LogLevel::kWarning : level_of(line.verbosity), line.text);
  }
  warned_ = std::move(current);
}

}  // namespace muster::serve
