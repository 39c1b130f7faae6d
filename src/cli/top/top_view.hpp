// The state of a cluster that `muster top` shows.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "loader/inputs.hpp"
#include "report/selection.hpp"
#include "sim/rounds.hpp"
#include "terminal/text_style.hpp"

namespace muster::cli {

// A pending job.
struct TopJob {
  JobId job;
  std::string reason;               // the code of its first reason; "": unknown
  std::optional<TimePoint> starts;  // estimated start; nullopt: unknown
};

// GPUs in use by queue name.
using GpusByQueue = std::map<std::string, double>;

// The cluster after one cycle, with its pending jobs in scheduling order.
struct TopView {
  loader::Inputs inputs;
  Cluster before;  // the cluster before the cycle, for questions about jobs
  answers::KnownTimes times;
  Round round;
  std::vector<TopJob> waiting;
  GpusByQueue held_before;  // reference of the trend: before the cycle, or in an earlier view
};

TopView top_view(loader::Inputs&& inputs, const report::JobFilter& filter);
GpusByQueue gpus_held(const Cluster& cluster);

// `selected`: the row of the pending job to mark, or none.
Text top_text(const TopView& view, const TextStyle& style, std::optional<std::size_t> selected = {});
// Schema muster.dev/top/v1.
nlohmann::ordered_json top_json(const TopView& view);

}  // namespace muster::cli
