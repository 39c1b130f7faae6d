// Leader election with a Lease: only one of several replicas writes, and it stops before another one takes
// over.
#pragma once

#include <chrono>
#include <string>

#include "kube/api_client.hpp"

namespace muster::kube {

struct ElectionOptions {
  std::string ns, name, identity;
  std::chrono::seconds duration{15};        // of the lease, as the other replicas see it
  std::chrono::seconds renew_deadline{10};  // a leader that cannot renew for this long steps down
  std::chrono::milliseconds retry{2'000};
};

// Receives the results of the election. May be called at any time while Elector::run() runs.
class ElectionListener {
 public:
  virtual ~ElectionListener() = default;
  virtual void won() = 0;
  // Called when this replica is no longer the leader, but not after release().
  virtual void lost() = 0;
  // Called with a message when a request fails. The elector retries by itself.
  virtual void troubled(const std::string& text) = 0;
};

// Returns a new "<host>_<uuid>". KAI's operator splits it at the "_".
std::string make_identity();

class Elector {
 public:
  Elector(ApiClient& client, ElectionOptions options, ElectionListener& listener)
      : client_(client), options_(std::move(options)), listener_(listener) {}

  // Runs until the loop stops, or until this replica has become the leader and is no longer.
  Async<void> run();
  // Gives up the lease so that another replica need not wait for it to expire.
  Async<void> release();

 private:
  // The content of the Lease as last read.
  struct Record {
    std::string holder, version, renewed, acquired;
    std::int64_t seconds = 0, transitions = 0;
    bool exists = false;
  };

  Async<bool> read();
  Async<bool> write(bool create);
  Async<bool> write_release();
  Async<bool> try_to_hold();
  Async<void> lead();
  Async<void> give_up_in_time();
  void lose();
  void take(std::string_view text);
  bool is_free() const;
  std::string path() const;
  std::chrono::milliseconds wait_as_standby() const;

  ApiClient& client_;
  const ElectionOptions options_;
  ElectionListener& listener_;
  Record record_;
  Clock::time_point seen_{};     // when the record last changed
  Clock::time_point renewed_{};  // when the last successful renewal was sent
  bool is_leader_ = false;
};

}  // namespace muster::kube
