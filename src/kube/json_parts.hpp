// Parts of JSON text that can not be read as a whole: found by their brackets alone, whatever is between
// them.
#pragma once

#include <string_view>
#include <vector>

namespace muster::kube {

// Both find nothing in text that is cut off.
// The member of an object, as text; "" if there is none.
std::string_view member_text(std::string_view object, std::string_view key);
// The items of an array, as text.
std::vector<std::string_view> item_texts(std::string_view array);

}  // namespace muster::kube
