// How decisions are sent: until the answer is final, counted while they are under way.
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

// A pod that is written about, and its job where it has one.
struct PodIdentity {
  std::string ns, name, uid, job, job_uid;
  TimePoint created{};
  bool has_group = false;  // else its job is the pod itself, and has no object
  std::string full_name() const { return ns + "/" + name; }
};
PodIdentity identity_of(const Cluster& cluster, TaskId task);

// Counts a write from its begin to its end.
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

// Sends until the answer is final, for a minute at most; the last answer there was.
kube::Async<kube::HttpResponse> send_persistently(kube::ApiClient& client, kube::ApiRequest request,
                                                  MayRetry may_retry = kube::is_transient);

// What became of a pod: the same one waits or stands on a node, or it is gone, or about to be.
enum class PodState { kWaits, kBound, kGone };
// Reads the pod after a write that can not tell.
kube::Async<PodState> look_at(WriteParts parts, PodIdentity pod);

}  // namespace muster::serve
