// Keeps texts by kind, namespace and name.
#include "serve/read/object_texts.hpp"

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "model/object_parts.hpp"

namespace muster::serve {

void ObjectTexts::put(const kube::Resource& resource, Json object) {
  const auto metadata = kube::part_at(object, "metadata");
  if (!metadata) return;
  std::string key = muster::key_of(kube::text_at(*metadata, "namespace"), kube::text_at(*metadata, "name"));
  texts_[{resource.kind, std::move(key)}] = {resource.kind, resource.api_version(),
                                             std::make_shared<const std::string>(simdjson::minify(object))};
}

void ObjectTexts::erase(std::string_view kind, std::string_view ns, std::string_view name) {
  texts_.erase({std::string(kind), muster::key_of(ns, name)});
}

std::vector<ObjectText> ObjectTexts::all() const {
  std::vector<ObjectText> all;
  all.reserve(texts_.size());
  for (const auto& [key, text] : texts_) all.push_back(text);
  return all;
}

}  // namespace muster::serve
