// Queues status updates of objects: only the newest update per object is sent, a few are sent concurrently,
// and only while they are still valid.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "kube/api_client.hpp"

namespace muster::serve {

class StatusQueue {
 public:
  struct Update {
    // Called when the update is about to be sent: returns the request, or nullopt if it is no longer needed.
    std::function<std::optional<kube::ApiRequest>()> make;
    std::function<void(const kube::HttpResponse&)> on_success = {};
    int tries = 0;
  };

  explicit StatusQueue(kube::ApiClient& client) : client_(client) {}

  // Adds an update. It replaces a waiting update of the same object.
  void put(const std::string& object, Update update);
  // Discards the waiting update of the object.
  void drop(const std::string& object);
  // From now on no update is accepted or sent.
  void close();

  // True if callers should not add updates that can wait.
  bool is_full() const;
  std::size_t waiting() const { return waiting_.size(); }

 private:
  kube::Async<void> work();
  kube::Async<void> deliver(std::string object);
  std::optional<Update> take(const std::string& object);

  kube::ApiClient& client_;
  absl::flat_hash_map<std::string, std::optional<Update>> waiting_;  // nullopt: dropped
  std::deque<std::string> order_;                                    // of the objects in `waiting_`
  absl::flat_hash_set<std::string> under_way_;
  int workers_ = 0;
  bool is_closed_ = false;
};

}  // namespace muster::serve
