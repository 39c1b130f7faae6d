// Decodes objects of the API server into objects of the model.
#pragma once

#include "document/json_fwd.hpp"
#include "manifest/manifest.hpp"

namespace muster::kube {
struct Resource;
}

namespace muster::serve {

// Passes the decoded object to `take`, unless the findings contain an error. The caller gives the kind, since
// items of lists do not contain it.
Findings decode(Json object, const kube::Resource& resource, const ObjectSink& take);

}  // namespace muster::serve
