// Reads nodes from a list with columns such as node, gpus, cpu, memory, model, or from the node list of a
// public trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/objects.hpp"
#include "util/result.hpp"

namespace muster::trace {

struct NodeList {
  std::vector<NodeObject> nodes;  // in file order
  std::size_t rows = 0, skipped = 0;
  std::vector<Error> bad_rows;  // the first of the skipped rows
  std::vector<std::string> notes;
};

struct NodeListOptions {
  std::string file;
  std::string format;  // of the trace; its node list may have our columns or its own
};

Result<NodeList> read_nodes(const NodeListOptions& options);
Result<NodeList> read_nodes_in(const NodeListOptions& options, std::string_view text);

}  // namespace muster::trace
