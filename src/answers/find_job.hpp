// The job that somebody means: by its name, with or without namespace, or by one of its pods.
#pragma once

#include <string>
#include <string_view>

#include "model/cluster.hpp"
#include "util/result.hpp"

namespace muster::answers {

struct FoundJob {
  JobId job;            // not valid: there is none, or more than one
  std::string problem;  // then, in a sentence
  bool is_ambiguous = false;
};

// `ns`: where a name without namespace is looked for; "": everywhere.
FoundJob find_job(const Cluster& cluster, std::string_view name, std::string_view ns = "");

// "; did you mean \"a\", \"b\" or \"c\"?", "; the nearest are …" where none is near; "": there are no names.
std::string nearest_names(std::string_view name, std::vector<std::string_view> known);

}  // namespace muster::answers
