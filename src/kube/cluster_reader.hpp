// Reads all objects that the model takes from the API server, once: for snapshots and questions about a live
// cluster. Writes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/api_client.hpp"
#include "kube/credentials.hpp"
#include "util/result.hpp"

namespace muster::kube {

// Takes out of a List what the scheduler does not read and others may not want to share: variables and
// commands of containers, the data of ConfigMaps, what tools noted for themselves. Secrets are no kind that
// is read; where one stands all the same, it goes.
void strip(nlohmann::ordered_json& list);

// The same as below with a client that is there.
Async<Result<nlohmann::ordered_json>> list_cluster(ApiClient& client);

// A List of all of them, stripped, each with its apiVersion and kind. Kinds that the cluster does not have
// are left out; kinds that we may not read are an error unless the model can do without. Blocks.
Result<nlohmann::ordered_json> read_cluster(const Credentials& credentials);

// What is at the address, which may be plain HTTP. Blocks.
Result<std::string> read_address(const std::string& url, const std::string& token);

}  // namespace muster::kube
