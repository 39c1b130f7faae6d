// What becomes of the objects of a cluster on their way into a file: what nobody needs and nobody should see
// is left out, names may be replaced, and the name of the file says how it is written.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "util/result.hpp"

namespace muster::cli {

// Replaces names of objects, namespaces and owners, wherever they stand, by hashes that are the same in every
// snapshot, and drops annotations that nobody reads.
void redact(nlohmann::ordered_json& list);

// By the name: .json.zst (or any .zst), .yaml and .yml, else JSON.
std::string written_as(const nlohmann::ordered_json& list, const std::string& file);

// Whole or not at all: to a file beside it first. "-": standard output.
Result<void> write_snapshot(const nlohmann::ordered_json& list, const std::string& file);

}  // namespace muster::cli
