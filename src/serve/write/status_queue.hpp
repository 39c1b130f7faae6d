// What is told of objects on its way to them: the newest per object, a few at a time, and only while it is
// true.
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
    // Asked when its turn has come: the request as it is right then; nothing where it is no longer needed.
    std::function<std::optional<kube::ApiRequest>()> make;
    std::function<void(const kube::HttpResponse&)> on_success = {};
    int tries = 0;
  };

  explicit StatusQueue(kube::ApiClient& client) : client_(client) {}

  // Takes the place of what waits for the same object.
  void put(const std::string& object, Update update);
  // What waits for the object is no longer true.
  void drop(const std::string& object);
  // Nothing is taken or sent any more.
  void close();

  // Better not put anything that can be told later.
  bool is_full() const;
  std::size_t waiting() const { return waiting_.size(); }

 private:
  kube::Async<void> work();
  kube::Async<void> deliver(std::string object);
  std::optional<Update> take(const std::string& object);

  kube::ApiClient& client_;
  absl::flat_hash_map<std::string, std::optional<Update>> waiting_;  // nothing: it was dropped
  std::deque<std::string> order_;                                    // of all that wait
  absl::flat_hash_set<std::string> under_way_;
  int workers_ = 0;
  bool is_closed_ = false;
};

}  // namespace muster::serve
