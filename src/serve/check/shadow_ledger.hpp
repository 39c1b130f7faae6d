// What muster would do beside what another scheduler does: counts where both agree, and keeps for each job
// where they first did not.
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
    std::int64_t agreed = 0, same_node = 0;  // placed by both; on the same node, too
    std::int64_t differs = 0;                // placed by the other, while muster would have waited
    std::int64_t left_waiting = 0;           // muster would have placed it, the other has not for long
    std::int64_t unseen = 0;                 // placed before muster had decided about it
    // Of the pods that both had time to decide about; 100 where there were none.
    double agreement_percent() const;
  };

  // After each cycle, whose decisions nobody carries out.
  void decided(const Cluster& cluster, const Decisions& decisions, TimePoint now);
  struct Placed {
    std::string ns, name, uid, node;
  };
  void placed_by_other(const Cluster& cluster, const Placed& pod, TimePoint now);

  const Counts& counts() const { return counts_; }
  // The first of each job, since this was last asked.
  std::vector<Difference> take_news() { return std::exchange(news_, {}); }
  // All of it as JSON; from any thread.
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
  std::map<std::string, std::string> waits_;               // by job, why
  std::map<std::string, Difference> first_;                // by job
  std::vector<Difference> news_;
  Counts counts_;
  std::int64_t cycles_ = 0;
  std::size_t would_evict_ = 0;  // in the last cycle
  mutable std::mutex mutex_;
  std::string text_ = "{}\n";  // guarded by it
};

}  // namespace muster::serve
