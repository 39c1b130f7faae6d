// Writes the status of Queues: resources in use and requested, fair share, and child queues.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/clock.hpp"
#include "model/ids.hpp"
#include "serve/write/status_queue.hpp"
#include "serve/write/write_parts.hpp"

namespace muster {
class Cluster;
struct Decisions;
}  // namespace muster

namespace muster::serve {

class QueueStatus {
 public:
  // `is_ours`: false if KAI-Scheduler's controller writes the status.
  QueueStatus(const WriteServices& parts, bool is_ours) : updates_(parts.client), is_ours_(is_ours) {}

  // Call after each cycle. A status that changes often is written only every few seconds.
  void publish(const Cluster& cluster, const Decisions& decisions);
  void close() { updates_.close(); }

 private:
  struct Written {
    std::string status;  // as JSON
    kube::Clock::time_point at{};
  };
  void write_status(const std::string& queue, const nlohmann::json& status, kube::Clock::time_point now);

  StatusQueue updates_;
  const bool is_ours_;
  kube::Clock::time_point checked_at_{};
  absl::flat_hash_map<std::string, Written> written_;  // by queue
};

}  // namespace muster::serve
