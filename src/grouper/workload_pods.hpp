// The pods that a workload's controller would make: for clusters in files, where no controller runs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "util/result.hpp"

namespace muster::grouper {

using nlohmann::json;

// A workload that asks for more is refused.
inline constexpr std::int64_t kMostPods = 10'000;

// A pod of the workload that is there already.
struct PresentPod {
  std::string name;
  bool has_ended = false;  // with success or without
  bool has_succeeded = false;
};

struct MadePod {
  json pod;
  std::string template_path;  // "spec.template": where the workload describes it
};

struct MissingPods {
  std::vector<MadePod> pods;
  std::string why_none;                 // "suspended": the workload wants no pods at all
  std::vector<std::string> schedulers;  // that the workload's pods name, those present included
};

// A kind whose pods can be made, or of which it is known why they are not.
bool makes_pods(const std::string& api_version, const std::string& kind);

// The pods that the workload wants and lacks, named "<workload>-<number>" where its controller gives no name
// that could be foreseen. An error names the field that makes no sense.
Result<MissingPods> missing_pods(const json& workload, const std::vector<PresentPod>& present);

// The Job that a CronJob makes when its time comes; nothing for one that is suspended, and for other kinds.
std::optional<json> next_run(const json& cron_job);

}  // namespace muster::grouper
