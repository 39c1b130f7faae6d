// Finds parts of JSON text that cannot be parsed as a whole, by looking only at brackets and strings.
#pragma once

#include <string_view>
#include <vector>

namespace muster::kube {

// Both functions find nothing in truncated text.
// Returns the member of an object as text; "" if there is none.
std::string_view member_text(std::string_view object, std::string_view key);
// Returns the items of an array as text.
std::vector<std::string_view> item_texts(std::string_view array);

}  // namespace muster::kube
