// Parses a list as a whole first, and item by item if that fails.
#include "kube/object_reader.hpp"

#include "document/json.hpp"
#include "kube/json.hpp"
#include "kube/json_parts.hpp"

namespace muster::kube {
namespace {

ObjectReader::Page page_of(Json metadata) {
  return {.is_list = true,
          .next = std::string(text_at(metadata, "continue")),
          .version = std::string(text_at(metadata, "resourceVersion"))};
}

}  // namespace

ObjectReader::ObjectReader() : parser_(std::make_unique<simdjson::dom::parser>()) {}
ObjectReader::~ObjectReader() = default;

bool ObjectReader::object(std::string_view text, Json& root) {
  return !text.empty() && parser_->parse(text.data(), text.size()).get(root) == simdjson::SUCCESS &&
         root.is_object();
}

// Parses only the metadata of an object; the result is an empty object if even that fails.
bool ObjectReader::metadata_of(std::string_view text, Json& root) {
  const std::string_view metadata = member_text(text, "metadata");
  if (!metadata.empty() && object("{\"metadata\":" + std::string(metadata) + "}", root)) return true;
  return object(std::string_view("{}"), root);
}

ObjectReader::Page ObjectReader::page(std::string_view text, const UseObject& use) {
  Json root;
  if (!object(text, root)) return page_by_parts(text, use);
  const auto metadata = part_at(root, "metadata");
  if (!metadata) return {};
  each_item(part_at(root, "items"), [&](Json item) { use(item, true); });
  return page_of(*metadata);
}

ObjectReader::Page ObjectReader::page_by_parts(std::string_view text, const UseObject& use) {
  Json root;
  if (!object(member_text(text, "metadata"), root)) return {};
  const Page page = page_of(root);
  for (const std::string_view item : item_texts(member_text(text, "items"))) {
    const bool is_whole = object(item, root);
    if (is_whole || metadata_of(item, root)) use(root, is_whole);
  }
  return page;
}

bool ObjectReader::event(std::string_view text, const UseEvent& use) {
  Json root, changed;
  if (object(text, root)) {
    if (root.at_key("object").get(changed) != simdjson::SUCCESS || !changed.is_object()) return false;
    use(text_at(root, "type"), changed, true);
    return true;
  }
  std::string_view type = member_text(text, "type");
  const std::string_view whole = member_text(text, "object");
  if (type.size() < 2 || whole.empty() || !metadata_of(whole, changed)) return false;
  use(type.substr(1, type.size() - 2), changed, false);
  return true;
}

}  // namespace muster::kube
