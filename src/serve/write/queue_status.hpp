// status of Queues: what each holds, asks for and is entitled to, and which are below it.
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
  // `is_ours`: else KAI-Scheduler's controller tells it.
  QueueStatus(const WriteParts& parts, bool is_ours) : updates_(parts.client), is_ours_(is_ours) {}

  // After each cycle; what changes often is told now and then.
  void publish(const Cluster& cluster, const Decisions& decisions);
  void close() { updates_.close(); }

 private:
  struct Told {
    std::string status;  // as JSON
    kube::Clock::time_point at{};
  };
  void tell(const std::string& queue, const nlohmann::json& status, kube::Clock::time_point now);

  StatusQueue updates_;
  const bool is_ours_;
  kube::Clock::time_point looked_at_{};
  absl::flat_hash_map<std::string, Told> told_;  // by queue
};

}  // namespace muster::serve
