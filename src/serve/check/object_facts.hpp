// What a model knows of an object, as words that can be compared between two models.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace muster {
class Cluster;
}

namespace muster::serve {

using Facts = std::vector<std::pair<std::string, std::string>>;  // what it is about, and what is so

// Of a Pod, PodGroup, Queue or Node. Empty where the model has no such object.
Facts facts_of(const Cluster& cluster, const std::string& kind, const std::string& ns,
               const std::string& name);

// The first that differs: "priority is 100, should be 50"; "" where there is none.
std::string difference(const Facts& found, const Facts& expected);

}  // namespace muster::serve
