// Is a new message worth a write? How much is free and who holds it changes all the time.
#pragma once

#include <string_view>

namespace muster::serve {

// The same words, digits and decimal points left out.
bool differ_in_numbers_only(std::string_view a, std::string_view b);

}  // namespace muster::serve
