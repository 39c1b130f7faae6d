// Generated objects as sent by the API server: one JSON document per line.
#pragma once

#include <string>

#include "generate.hpp"

namespace muster::bench {

std::string json_text(const ClusterShape& shape);

}  // namespace muster::bench
