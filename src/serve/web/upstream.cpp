// The requests to the real API server.
#include "serve/web/upstream.hpp"

#include <nlohmann/json.hpp>

#include "kube/cluster_reader.hpp"

namespace muster::serve {

Upstream upstream_of(kube::ApiClient& client) {
  return {.loop = client.loop(),
          .send = [&client](kube::ApiRequest request) { return client.send(std::move(request)); },
          .list = [&client] { return kube::list_cluster(&client); }};
}

}  // namespace muster::serve
