// Kubernetes manifests to objects of the model.
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

// Where decoded objects go: a cluster, a counter, a test. Called in the order of the files.
using ObjectSink = std::function<void(Object&&)>;

// What reading had to say. Warnings cost an object its bad field; errors are objects or text that could not
// be used.
struct Findings {
  std::vector<Error> errors, warnings;
  std::map<std::string, std::int64_t> unknown_kinds;  // "apps/v1 Deployment" → how many
  std::map<std::string, std::int64_t> known_kinds;    // "Pod" → how many
  struct ForeignGroups {
    std::size_t count = 0;
    Location where;  // of the first
  };
  std::map<std::string, ForeignGroups> foreign_groups;  // PodGroups of another scheduler's API group
};

class NamespaceLimits;
class RuntimeClasses;

struct DecodeOptions {
  TimePoint now{};  // creation time of objects that have none
  // What pods get that the API server did not see yet; null: nothing.
  const NamespaceLimits* limits = nullptr;
  const RuntimeClasses* runtime_classes = nullptr;
};

// Decodes one document of any known kind into the sink. Never throws.
void decode_object(const Document& document, const DecodeOptions& options, const ObjectSink& sink,
                   Findings& findings);

// Reads files and directories.
Findings read_manifests(const std::vector<std::string>& paths, const DecodeOptions& options,
                        const ObjectSink& sink);

}  // namespace muster
