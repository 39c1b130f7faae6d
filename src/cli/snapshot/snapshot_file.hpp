// Writes the objects of a cluster to a file. Names may be replaced, and the file name determines the format.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "util/result.hpp"

namespace muster::cli {

// Replaces all names of objects, namespaces and owners with hashes that are the same in every snapshot, and
// drops annotations that muster does not read.
void redact(nlohmann::ordered_json& list);

// Formats the list by the extension of the file: .zst is compressed JSON, .yaml and .yml are YAML, others
// JSON.
std::string written_as(const nlohmann::ordered_json& list, const std::string& file);

// Writes the file atomically, through a temporary file in the same directory. "-" is standard output.
Result<void> write_snapshot(const nlohmann::ordered_json& list, const std::string& file);

}  // namespace muster::cli
