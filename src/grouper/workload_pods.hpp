// Creates the pods that a workload's controller would create, for clusters in files, where no controller
// runs.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "util/result.hpp"

namespace muster::grouper {

using nlohmann::json;

// A workload that requests more is refused.
inline constexpr std::int64_t kMostPods = 10'000;

// A pod of the workload that already exists.
struct PresentPod {
  std::string name;
  bool has_ended = false;  // successfully or not
  bool has_succeeded = false;
};

struct MadePod {
  json pod;
  std::string template_path;  // where the workload describes the pod, such as "spec.template"
};

struct MissingPods {
  std::vector<MadePod> pods;
  std::string why_none;                 // why the workload has no pods at all, such as "suspended"
  std::vector<std::string> schedulers;  // named by the pod templates of the workload
};

// True for kinds whose pods can be created, and for kinds with a known reason why they cannot.
bool makes_pods(const std::string& api_version, const std::string& kind);

// The pods that the workload lacks, named "<workload>-<number>" if the name that its controller would choose
// is not predictable. An error names the invalid field.
Result<MissingPods> missing_pods(const json& workload, const std::vector<PresentPod>& present);

// The Job that a CronJob creates at its next run; nothing if it is suspended, or for other kinds.
std::optional<json> next_run(const json& cron_job);

}  // namespace muster::grouper
