// Label selectors and node selector terms, which pods and volumes share.
#pragma once

#include "manifest/field.hpp"

namespace muster {

LabelSelector label_selector_of(const Field& selector);
std::vector<NodeTerm> node_terms_of(const Field& terms);  // nodeSelectorTerms[]

}  // namespace muster
