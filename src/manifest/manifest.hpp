// Decodes Kubernetes manifests into objects of the model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "document/document.hpp"
#include "model/objects.hpp"
#include "util/result.hpp"

namespace muster {

// Receives decoded objects, in the order of the files.
using ObjectSink = std::function<void(Object&&)>;

// The findings of reading. A warning costs an object its bad field; an error costs the whole object or text.
struct Findings {
  std::vector<Error> errors, warnings;
  std::map<std::string, std::int64_t> unknown_kinds;  // "apps/v1 Deployment" → how many
  std::map<std::string, std::int64_t> known_kinds;    // "Pod" → how many
  struct ForeignGroups {
    std::size_t count = 0;
    Location where;  // of the first one
  };
  std::map<std::string, ForeignGroups> foreign_groups;  // PodGroups of another scheduler's API group
};

class NamespaceLimits;
class RuntimeClasses;

struct DecodeOptions {
  TimePoint now{};  // creation time of objects without one
  // Applied to pods that the API server has not seen yet; null: none.
  const NamespaceLimits* limits = nullptr;
  const RuntimeClasses* runtime_classes = nullptr;
};

// Decodes one document of any kind into the sink. Never throws.
void decode_object(const Document& document, const DecodeOptions& options, const ObjectSink& sink,
                   Findings& findings);

// Reads files and directories.
Findings read_manifests(const std::vector<std::string>& paths, const DecodeOptions& options,
                        const ObjectSink& sink);

}  // namespace muster
