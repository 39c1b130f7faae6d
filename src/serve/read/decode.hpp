// Objects of the API server as objects of the model.
#pragma once

#include "document/json_fwd.hpp"
#include "manifest/manifest.hpp"

namespace muster::kube {
struct Resource;
}

namespace muster::serve {

// Gives `take` what the object decodes to: nothing where the findings hold an error. Items of lists do not
// say of what kind they are; whoever asked for them does.
Findings decode(Json object, const kube::Resource& resource, const ObjectSink& take);

}  // namespace muster::serve
