// Compares the live model with one that is built from a fresh list, and heals what is wrong.
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
  // What is compared, and who knows what is on its way.
  struct Live {
    LiveSource& source;
    const Assumptions& assumptions;
    const PodGroupWriter& groups;
  };
  struct Options {
    ClusterOptions cluster;
    int cycles_between = 0;  // 0: only when asked
  };
  SelfCheck(const WriteParts& parts, const Live& live, Options options);
  ~SelfCheck();

  void cycle_ran() { ++cycles_since_; }
  // True every so many cycles: a list of everything is a burden, so it waits until there was little to do for
  // a while, but not for ever. To be asked now and then.
  bool is_wanted(bool is_busy);
  // Reads a fresh list, for compare(). Once at a time; false where nothing came of it yet.
  kube::Async<bool> read();
  // A fresh list waits to be compared.
  bool is_due() const { return fresh_ != nullptr; }
  // Not while a cycle runs.
  void compare(const Cluster& live, TimePoint now);

 private:
  kube::Async<std::unique_ptr<FreshCluster>> read_fresh();
  kube::Async<bool> read_kind(const kube::Resource& resource, FreshCluster& fresh);
  std::vector<std::string> drift(const Cluster& live) const;
  void compare_kind(const Cluster& live, const std::string& kind, std::vector<std::string>& drift) const;
  bool is_assumed(const Cluster& live, const std::string& kind, const std::string& ns,
                  const std::string& name) const;

  const WriteParts p_;
  const Live live_;
  const Options options_;
  std::unique_ptr<FreshCluster> fresh_;
  bool is_reading_ = false;
  int cycles_since_ = 0;
  kube::Clock::time_point last_busy_{};
};

}  // namespace muster::serve
