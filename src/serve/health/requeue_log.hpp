// Logs the results of requeue.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace muster {
class Cluster;
struct RequeueRecord;
}  // namespace muster

namespace muster::serve {

class Log;

class RequeueLog {
 public:
  explicit RequeueLog(Log& log) : log_(log) {}

  // Logs the results of one cycle. Warnings that were already logged for the last cycle are not repeated.
  void write(const Cluster& cluster, const RequeueRecord& record);

 private:
  Log& log_;
  std::set<std::pair<std::string, std::string>> warned_;  // uid of the job or queue, text
};

}  // namespace muster::serve
