// Compares what muster would do with what another scheduler does: counts agreement, and keeps the first
// difference for each job.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "model/ids.hpp"
#include "serve/health/http_server.hpp"
#include "util/time.hpp"

namespace muster {
class Cluster;
struct Decisions;
}  // namespace muster

namespace muster::serve {

class ShadowLedger final : public TextSource {
 public:
  struct Difference {
    std::string job, pod;
    std::string other, muster;  // what each of them did or would do
    TimePoint at{};
  };
  struct Counts {
    std::int64_t agreed = 0, same_node = 0;  // placed by both; those on the same node
    std::int64_t differs = 0;                // placed by the other, left pending by muster
    std::int64_t left_waiting = 0;           // placed by muster, left pending by the other for long
    std::int64_t unseen = 0;                 // placed before muster had decided about it
    // Percentage of the pods that both had time to decide about; 100 if there were none.
    double agreement_percent() const;
  };

  // To be called after each cycle; its decisions are not carried out.
  void decided(const Cluster& cluster, const Decisions& decisions, TimePoint now);
  struct Placed {
    std::string ns, name, uid, node;
  };
  void placed_by_other(const Cluster& cluster, const Placed& pod, TimePoint now);

  const Counts& counts() const { return counts_; }
  // The first differences of jobs that were found since the last call.
  std::vector<Difference> take_news() { return std::exchange(news_, {}); }
  // Returns the report as JSON. To be called from any thread.
  std::string text() const override;

 private:
  struct Opinion {  // muster would place the pod
    std::string ns, name, node;
    TimePoint since{};
    bool is_counted = false;
  };
  void note(const std::string& job, Difference difference);
  void look_at_those_left(const Cluster& cluster, TimePoint now);
  void publish(TimePoint now);

  absl::flat_hash_map<std::string, Opinion> would_place_;  // by uid
  std::map<std::string, std::string> waits_;               // reasons by job
  std::map<std::string, Difference> first_;                // by job
  std::vector<Difference> news_;
  Counts counts_;
  std::int64_t cycles_ = 0;
  std::size_t would_evict_ = 0;  // in the last cycle
  mutable std::mutex mutex_;
  std::string text_ = "{}\n";  // guarded by mutex_
};

}  // namespace muster::serve
