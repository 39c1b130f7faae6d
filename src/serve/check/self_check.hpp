// Compares the live model with one built from a fresh list, and corrects differences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kube/async.hpp"
#include "kube/clock.hpp"
#include "model/cluster.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::kube {
struct Resource;
}

namespace muster::serve {

class Assumptions;
class LiveSource;
class PodGroupWriter;
struct FreshCluster;

class SelfCheck {
 public:
  // The source of the live model, and the parts that know about writes in progress.
  struct Live {
    LiveSource& source;
    const Assumptions& assumptions;
    const PodGroupWriter& groups;
  };
  struct Options {
    ClusterOptions cluster;
    int cycles_between = 0;  // 0: only on request
  };
  SelfCheck(const WriteServices& parts, const Live& live, Options options);
  ~SelfCheck();

  void cycle_ran() { ++cycles_since_; }
  // Call regularly. Returns true once every `cycles_between` cycles. Listing everything is expensive,
  // so a busy scheduler postpones it, but for at most twice that number.
  bool is_wanted(bool is_busy);
  // Reads a fresh list for compare(). Returns false if that failed or a read is already in progress.
  kube::Async<bool> read();
  // True if a fresh list is ready to be compared.
  bool is_due() const { return fresh_ != nullptr; }
  // REQUIRES: is_due(), and no cycle is running.
  void compare(const Cluster& live, TimePoint now);

 private:
  kube::Async<std::unique_ptr<FreshCluster>> read_fresh();
  kube::Async<bool> read_kind(const kube::Resource* resource, FreshCluster* fresh);
  std::vector<std::string> drift(const Cluster& live) const;
  void compare_kind(const Cluster& live, const std::string& kind, std::vector<std::string>& drift) const;
  bool is_assumed(const Cluster& live, const std::string& kind, const std::string& ns,
                  const std::string& name) const;

  const WriteServices p_;
  const Live live_;
  const Options options_;
  std::unique_ptr<FreshCluster> fresh_;
  bool is_reading_ = false;
  int cycles_since_ = 0;
  kube::Clock::time_point last_busy_{};
};

}  // namespace muster::serve
