// Changes objects of workloads as the API server and controllers do, for files and in simulated time.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace muster {

class Cluster;

// Gives an object without a uid a substitute, since the grouper derives names from it.
nlohmann::json with_uid(nlohmann::json object);
// Sets the priority class of a pod without one to the default class of the cluster, as at creation.
void set_default_priority_class(nlohmann::json& pod, const Cluster& cluster);
// Whether this is a StatefulSet that creates a pod only once the previous one runs.
bool creates_pods_in_order(const nlohmann::json& workload);

}  // namespace muster
