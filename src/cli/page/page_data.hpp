// The data from which the page is drawn.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "cli/report/run_report.hpp"

namespace muster::cli {

nlohmann::ordered_json page_data(std::span<const ComparedRun> runs);

}  // namespace muster::cli
