// Documents and the items of list documents, one by one.
#pragma once

#include <functional>
#include <string>

#include "document/document.hpp"
#include "document/places.hpp"
#include "document/texts.hpp"

namespace muster {

// Where a parsed document comes from.
struct Origin {
  const std::string& file;
  const Places* places = nullptr;  // of YAML
  int line = 0;                    // of JSON on a single line, else 0
};

// Calls `use` for the document, or for every item of a list: `kind: List`, `PodList` and the like, an array
// of objects, or the `rawObjects` of a KAI snapshot, unless that is wanted whole.
void for_each_item(Json root, const Origin& origin, Snapshots snapshots,
                   const std::function<void(const Document&)>& use);

}  // namespace muster
