// Short lists of names for people.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/words.hpp"

namespace muster {

// Natural order: "train-2" comes before "train-10".
bool natural_less(std::string_view a, std::string_view b);
struct NaturalLess {
  bool operator()(std::string_view a, std::string_view b) const { return natural_less(a, b); }
};

// "train-0 … train-7", "a, b, c", "a, b, c and 9 more". In natural order; runs of
// consecutive numbers are combined.
std::string summarised(std::vector<std::string> names);

// Maps names to counts. As text: "node-1 (4), node-2 (4) and 12 more"; without counts if all of them are 1.
using Tally = std::map<std::string, std::size_t, NaturalLess>;
std::string summarised(const Tally& tally);

// Sorts by name. `name_of` is called once for each element.
template <class Id, class NameOf>
std::vector<Id> sorted_by_name(const std::vector<Id>& ids, NameOf name_of) {
  std::vector<std::pair<std::string, Id>> named;
  named.reserve(ids.size());
  for (Id id : ids) named.emplace_back(name_of(id), id);
  std::sort(named.begin(), named.end());
  std::vector<Id> sorted;
  sorted.reserve(ids.size());
  for (const auto& [name, id] : named) sorted.push_back(id);
  return sorted;
}

}  // namespace muster
