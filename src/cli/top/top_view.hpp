// What `muster top` shows of a cluster at one moment.
#pragma once

#include <map>
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

// What queues held, by name, some time ago.
using GpusByQueue = std::map<std::string, double>;

// After one cycle.
struct TopView {
  Inputs inputs;
  Cluster before;  // what questions about jobs are asked of
  answers::KnownTimes times;
  Round round;
  std::vector<TopJob> waiting;
  GpusByQueue held_before;  // what the trend is told against: before the cycle, or in an earlier picture
};

TopView top_view(Inputs&& inputs, const JobFilter& filter);
GpusByQueue gpus_held(const Cluster& cluster);

// `selected`: the row of a waiting job that is marked, or none.
Text top_text(const TopView& view, const TextStyle& style, std::optional<std::size_t> selected = {});
// Schema muster.dev/top/v1.
nlohmann::ordered_json top_json(const TopView& view);

}  // namespace muster::cli
