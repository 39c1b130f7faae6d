// Formats numbers for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster {

// For example "4,000".
std::string grouped(std::size_t number);
// For example "1 pod", "3 pods", "4,000 pods".
std::string counted(std::size_t count, std::string_view noun);
// For example "2.5" or "12": at most three decimals, without trailing zeros.
std::string decimal(double value);

}  // namespace muster
