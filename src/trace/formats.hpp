// Public traces by name, and how their columns map to muster's. docs/traces.md says where to get them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "document/json_fwd.hpp"

namespace muster::trace {

struct Translation {  // of a value in one of our columns
  std::string_view field, from, to;
};

struct Format {
  std::string_view name;
  std::string_view jobs;                          // column map of its job list
  std::string_view nodes;                         // column map of its node list; "" if it has none
  std::span<const std::string_view> needed = {};  // columns of ours that every usable row has
  std::span<const Translation> translations = {};
  // Computes columns from several parts of a JSON row; null: none.
  std::string (*derived)(Json row, std::string_view column) = nullptr;
};

std::span<const Format> formats();
// Returns null if the format does not exist.
const Format* find_format(std::string_view name);

// The attempts of a job in Microsoft's job list as columns: attempts.pods, attempts.gpus (per pod) and
// attempts.seconds (sum over all attempts). Returns "" if the row has no attempts or for any other column.
std::string philly_column(Json row, std::string_view column);

}  // namespace muster::trace
