// The requests of the HTTP API to the API server. Tests can replace them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "kube/api_client.hpp"
#include "util/result.hpp"

namespace muster::serve {

// Both functions are called on the thread of the loop, which must be running.
struct Upstream {
  kube::Loop& loop;
  std::function<kube::Async<kube::HttpResponse>(kube::ApiRequest)> send;
  std::function<kube::Async<Result<nlohmann::ordered_json>>()> list;  // all objects, for a snapshot
};

Upstream upstream_of(kube::ApiClient& client);

}  // namespace muster::serve
