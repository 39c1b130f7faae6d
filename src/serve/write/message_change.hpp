// Decides whether a new message is worth a write: free and used amounts change all the time.
#pragma once

#include <string_view>

namespace muster::serve {

// True if the texts are equal apart from digits and decimal points.
bool differ_in_numbers_only(std::string_view a, std::string_view b);

}  // namespace muster::serve
