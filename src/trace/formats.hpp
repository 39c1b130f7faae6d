// Public traces by name: which of their columns are what. docs/traces.md says where they are to be had.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "document/json_fwd.hpp"

namespace muster::trace {

struct Translation {  // of what stands in a column of ours
  std::string_view field, from, to;
};

struct Format {
  std::string_view name;
  std::string_view jobs;                          // the map of its job list
  std::string_view nodes;                         // the map of its node list, "": it has none
  std::span<const std::string_view> needed = {};  // columns of ours without which a row is not taken
  std::span<const Translation> translations = {};
  // Columns that are made of several parts of a JSON row; null: none.
  std::string (*derived)(Json row, std::string_view column) = nullptr;
};

std::span<const Format> formats();
// Null: there is no such format.
const Format* find_format(std::string_view name);

// What Microsoft's list of jobs says of the attempts of a job, as columns: attempts.pods, attempts.gpus (of
// each pod) and attempts.seconds (of all attempts together). "": it says nothing, or the column is another.
std::string philly_column(Json row, std::string_view column);

}  // namespace muster::trace
