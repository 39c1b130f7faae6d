// Leader election by a Lease: one of several replicas writes, and it stops before another can take its place.
#pragma once

#include <chrono>
#include <string>

#include "kube/api_client.hpp"

namespace muster::kube {

struct ElectionOptions {
  std::string ns, name, identity;
  std::chrono::seconds duration{15};        // of the lease, as others see it
  std::chrono::seconds renew_deadline{10};  // a leader that could not renew for so long gives up
  std::chrono::milliseconds retry{2'000};
};

// Told of the lead; may be called at any time while Elector::run() does.
class ElectionListener {
 public:
  virtual ~ElectionListener() = default;
  virtual void won() = 0;
  // Not where it was released.
  virtual void lost() = 0;
  // Something is wrong, in words; the elector goes on by itself.
  virtual void troubled(const std::string& text) = 0;
};

// "<host>_<uuid>", another one each time: KAI's operator cuts it at the "_".
std::string make_identity();

class Elector {
 public:
  Elector(ApiClient& client, ElectionOptions options, ElectionListener& listener)
      : client_(client), options_(std::move(options)), listener_(listener) {}

  // Until the loop stops or a lead that was won is lost.
  Async<void> run();
  // Gives the lease up so that another need not wait for its end.
  Async<void> release();

 private:
  // What the Lease said when we last saw it change.
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
  Clock::time_point renewed_{};  // when the last renewal that worked was sent
  bool is_leader_ = false;
};

}  // namespace muster::kube
