// Passes on documents and the items of list documents, one by one.
#pragma once

#include <functional>
#include <string>

#include "document/document.hpp"
#include "document/places.hpp"
#include "document/texts.hpp"

namespace muster {

// The origin of a parsed document.
struct Origin {
  const std::string& file;
  const Places* places = nullptr;  // of a YAML document
  int line = 0;                    // of JSON on a single line; otherwise 0
};

// Calls `use` for the document or, if it is a list, for every item: of `kind: List`, `PodList` and similar
// kinds, of an array of objects, and of the `rawObjects` of a KAI-Scheduler snapshot unless `snapshots` is
// kWhole.
void for_each_item(Json root, const Origin& origin, Snapshots snapshots,
                   const std::function<void(const Document&)>& use);

}  // namespace muster
