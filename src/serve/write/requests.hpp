// Sends the requests that carry out decisions: retries until the answer is final, and counts open writes.
#pragma once

#include <functional>
#include <string>

#include "kube/api_client.hpp"
#include "model/ids.hpp"
#include "serve/write/write_parts.hpp"
#include "util/time.hpp"

namespace muster {
class Cluster;
}

namespace muster::serve {

// The pod of a request, and its job if it has one.
struct PodIdentity {
  std::string ns, name, uid, job, job_uid;
  TimePoint created{};
  bool has_group = false;  // false: the job is the pod itself and has no PodGroup
  std::string full_name() const { return ns + "/" + name; }
};
PodIdentity identity_of(const Cluster& cluster, TaskId task);

// Counts a write as open during its lifetime.
class CountedWrite {
 public:
  explicit CountedWrite(int& open) : open_(open) { ++open_; }
  ~CountedWrite() { --open_; }
  CountedWrite(const CountedWrite&) = delete;
  CountedWrite& operator=(const CountedWrite&) = delete;

 private:
  int& open_;
};

using MayRetry = std::function<bool(const kube::HttpResponse&)>;

// Sends until the answer is final, for at most a minute. Returns the last answer. REQUIRES: `client` outlives
// it.
kube::Async<kube::HttpResponse> send_persistently(kube::ApiClient* client, kube::ApiRequest request,
                                                  MayRetry may_retry = kube::is_transient);

// The state of a pod: the same pod is pending, or bound to a node; or it is gone or about to be deleted.
enum class PodState { kWaits, kBound, kGone };
// Reads the pod after a write whose answer does not tell its state.
kube::Async<PodState> look_at(WriteServices parts, PodIdentity pod);

}  // namespace muster::serve
