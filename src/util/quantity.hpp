// Kubernetes quantities ("500m", "20G", "1Gi", "1e3") as integers, rounded up as Kubernetes does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace muster {

// The amount in whole units, or in thousandths; nullopt if the text is not a quantity. Fractions round away
// from zero ("1m" is 1 unit, "-1m" is -1). Exact, and saturates at int64.
std::optional<std::int64_t> quantity_value(std::string_view text);
std::optional<std::int64_t> quantity_milli(std::string_view text);

}  // namespace muster
