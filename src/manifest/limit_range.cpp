// Decodes LimitRanges: bounds and defaults for the containers and pods of a namespace.
#include "manifest/amounts.hpp"
#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"

namespace muster {
namespace {

Amounts amounts_in(const Field& list) {
  Amounts amounts;
  add_resource_list(list, amounts);
  return amounts;
}

LimitRangeItem item_of(const Field& limit) {
  return {.of_pod = limit["type"].text() == "Pod",
          .default_limit = amounts_in(limit["default"]),
          .default_request = amounts_in(limit["defaultRequest"]),
          .min = amounts_in(limit["min"]),
          .max = amounts_in(limit["max"])};
}

}  // namespace

void decode(const Field& root, LimitRangeObject& range) {
  read_meta(root, range.meta);
  const Field spec = root.object("spec");
  spec["limits"].each_object([&](const Field& limit) {
    const std::string_view type = limit["type"].text();
    if (type == "Container" || type == "Pod") range.items.push_back(item_of(limit));
  });
}

}  // namespace muster
