// Finds a job by its name, with or without namespace, or by the name of one of its pods.
#pragma once

#include <string>
#include <string_view>

#include "model/cluster.hpp"
#include "util/result.hpp"

namespace muster::answers {

struct FoundJob {
  JobId job;            // not valid: no job matches, or several do
  std::string problem;  // the error message in that case
  bool is_ambiguous = false;
};

// `ns` is the namespace of names without one; "" searches all namespaces.
FoundJob find_job(const Cluster& cluster, std::string_view name, std::string_view ns = "");

// Returns "; did you mean \"a\", \"b\" or \"c\"?", or "; the nearest are …" if no name is similar, or "" if
// there are no names.
std::string nearest_names(std::string_view name, std::vector<std::string_view> known);

}  // namespace muster::answers
