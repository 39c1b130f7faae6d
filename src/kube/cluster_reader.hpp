// Reads all objects that the model uses from the API server once, for snapshots and for questions about a
// live cluster. Writes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/api_client.hpp"
#include "kube/credentials.hpp"
#include "util/result.hpp"
#include "util/time.hpp"

namespace muster::kube {

// Removes from a List data that the scheduler does not need and users may not want to share: environment
// variables and commands of containers, the data of ConfigMaps, and bookkeeping of tools. Secrets are never
// read; if the List has any, they are removed as a whole.
void strip(nlohmann::ordered_json& list);

// A snapshot item for facts that no object has: the time of the snapshot, and what the scheduler adds.
nlohmann::ordered_json scheduler_state(TimePoint at);
// Returns the items as one List of schema muster.dev/snapshot/v1.
nlohmann::ordered_json snapshot_of(TimePoint at, nlohmann::ordered_json items);

// Like read_cluster(), with an existing client.
Async<Result<nlohmann::ordered_json>> list_cluster(ApiClient* client);

// Returns a stripped List of all objects, each with its apiVersion and kind. Kinds that the cluster does not
// have are skipped. A kind that muster may not read is an error unless it is optional. Blocks.
Result<nlohmann::ordered_json> read_cluster(const Credentials& credentials);

// Returns the content at `url`, which may be plain HTTP. `authority` is a CA bundle in PEM; "" means the
// trust store of the system. Blocks.
Result<std::string> read_address(const std::string& url, const std::string& token,
                                 const std::string& authority = {});

}  // namespace muster::kube
