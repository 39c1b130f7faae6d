// What `muster top` shows of a cluster at one moment.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/inputs.hpp"
#include "cli/report/selection.hpp"
#include "cli/report/text_style.hpp"
#include "cli/simulate/rounds.hpp"

namespace muster::cli {

// A job that waits, in the order in which jobs are served.
struct TopJob {
  JobId job;
  std::string reason;               // its code; "": none is known
  std::optional<TimePoint> starts;  // as far as anybody knows
};

// After one cycle.
struct TopView {
  Inputs inputs;
  Cluster before;  // what questions about jobs are asked of
  Round round;
  std::vector<TopJob> waiting;
};

TopView top_view(Inputs&& inputs, const JobFilter& filter);

// `selected`: the row of a waiting job that is marked, or none.
std::string top_text(const TopView& view, const TextStyle& style, std::optional<std::size_t> selected = {});
// Schema muster.dev/top/v1.
nlohmann::ordered_json top_json(const TopView& view);

}  // namespace muster::cli
