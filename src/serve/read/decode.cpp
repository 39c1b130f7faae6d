// Presents an object of the API as a document to the decoders of manifests.
#include "serve/read/decode.hpp"

#include <string>

#include "document/json.hpp"
#include "kube/clock.hpp"
#include "kube/resource.hpp"

namespace muster::serve {
namespace {

class ApiDocument final : public Document {
 public:
  ApiDocument(Json root, const kube::Resource& resource)
      : root_(root), api_version_(resource.api_version()), kind_(resource.kind) {}
  Json root() const override { return root_; }
  std::string_view api_version() const override { return api_version_; }
  std::string_view kind() const override { return kind_; }
  const std::string& file() const override { return no_file_; }
  int line_of(std::string_view) const override { return 0; }

 private:
  Json root_;
  std::string api_version_, kind_, no_file_;
};

}  // namespace

Findings decode(Json object, const kube::Resource& resource, const ObjectSink& take) {
  Findings findings;
  decode_object(ApiDocument(object, resource), {.now = kube::wall_clock()}, take, findings);
  return findings;
}

}  // namespace muster::serve
