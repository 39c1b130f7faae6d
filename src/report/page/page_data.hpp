// The data from which the page is drawn.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "report/run_report.hpp"

namespace muster::report {

nlohmann::ordered_json page_data(std::span<const ComparedRun> runs);

}  // namespace muster::report
