// Facts about an object in a model, as text that can be compared between two models.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster {
class Cluster;
}

namespace muster::serve {

using Facts = std::vector<std::pair<std::string, std::string>>;  // names and values

// The facts of a Pod, PodGroup, Queue or Node; empty if the model has no such object.
Facts facts_of(const Cluster& cluster, const std::string& kind, const std::string& ns,
               const std::string& name);

// Describes the first difference, as "priority is 100, should be 50"; "" if there is none.
std::string difference(const Facts& found, const Facts& expected);

}  // namespace muster::serve
