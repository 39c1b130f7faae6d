// Reads all objects that the model takes from the API server, once: for snapshots and questions about a live
// cluster. Writes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/api_client.hpp"
#include "kube/credentials.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::kube {

// Takes out of a List what the scheduler does not read and others may not want to share: variables and
// commands of containers, the data of ConfigMaps, what tools noted for themselves. Secrets are no kind that
// is read; where one stands all the same, it goes.
void strip(nlohmann::ordered_json& list);

// An item of a snapshot for what is in no object: when it was taken, and more where the scheduler tells.
nlohmann::ordered_json scheduler_state(TimePoint at);
// The items as one List, schema muster.dev/snapshot/v1.
nlohmann::ordered_json snapshot_of(TimePoint at, nlohmann::ordered_json items);

// The same as below with a client that is there.
Async<Result<nlohmann::ordered_json>> list_cluster(ApiClient& client);

// A List of all of them, stripped, each with its apiVersion and kind. Kinds that the cluster does not have
// are left out; kinds that we may not read are an error unless the model can do without. Blocks.
Result<nlohmann::ordered_json> read_cluster(const Credentials& credentials);

// What is at the address, which may be plain HTTP. `authority`: PEM text of who vouches for it, "": whom the
// system trusts. Blocks.
Result<std::string> read_address(const std::string& url, const std::string& token,
                                 const std::string& authority = {});

}  // namespace muster::kube
