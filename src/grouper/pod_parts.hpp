// The parts that the pods of a workload consist of, for workload_pods.cpp and the kinds with files of their
// own.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grouper/workload_pods.hpp"

namespace muster::grouper {

using Present = std::vector<PresentPod>;

// The pods of one template.
struct Part {
  std::string template_path = "spec.template";
  const json* pod_template = nullptr;
  std::string prefix;  // of the pod names
  std::int64_t count = 1;
  std::int64_t first = 0;        // the first number
  bool has_identities = false;   // pods are missing by number, not by count
  json labels = json::object();  // added to the labels of the template
  std::string index_label = {};  // set to the number; "": no such label
  bool is_only_one = true;       // all pods of the workload belong to this part
};

struct Wanted {
  std::vector<Part> parts;
  std::string why_none;
};

Wanted none(std::string why);
// Turns "/spec/replicas" into "spec.replicas".
std::string dotted(std::string_view path);
Error error_at(std::string_view path, std::string message);
Error too_many(std::string_view path, std::int64_t pods);
// Returns nothing if the field is absent, and an error if it is not a count. Does not limit the size.
Result<std::optional<std::int64_t>> given_count(const json& object, const char* path,
                                                const std::string& above = "");
std::string workload_name(const json& workload);
bool is_true(const json& object, const char* path);
bool has_condition(const json& workload, std::initializer_list<std::string_view> types);

Result<Wanted> training_job_pods(const json& job, const Present& present);
Result<Wanted> ray_pods(const json& workload, const Present& present);
Result<Wanted> leader_worker_pods(const json& set, const Present& present);

}  // namespace muster::grouper
