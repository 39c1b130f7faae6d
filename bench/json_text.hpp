// Generated objects as the API server would send them: one JSON document per line.
#pragma once

#include <string>

#include "generate.hpp"

namespace muster::bench {

std::string json_text(const ClusterShape& shape);

}  // namespace muster::bench
