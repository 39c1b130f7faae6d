// What the pods of a workload are made of, kind by kind; for workload_pods.cpp and the kinds that have a file
// of their own.
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

// Pods of one template.
struct Part {
  std::string template_path = "spec.template";
  const json* pod_template = nullptr;
  std::string prefix;  // of the names
  std::int64_t count = 1;
  std::int64_t first = 0;        // number
  bool has_identities = false;   // a pod is missing where its number is, not where there are too few
  json labels = json::object();  // beside the template's
  std::string index_label = {};  // gets the number; "": none does
  bool is_only_one = true;       // all pods of the workload are its
};

struct Wanted {
  std::vector<Part> parts;
  std::string why_none;
};

Wanted none(std::string why);
// "/spec/replicas" is spec.replicas.
std::string dotted(std::string_view path);
Error error_at(std::string_view path, std::string message);
Error too_many(std::string_view path, std::int64_t pods);
// Nothing where it is absent; an error where it is no count. Any size.
Result<std::optional<std::int64_t>> given_count(const json& object, const char* path,
                                                const std::string& above = "");
std::string workload_name(const json& workload);
bool is_true(const json& object, const char* path);
bool has_condition(const json& workload, std::initializer_list<std::string_view> types);

Result<Wanted> training_job_pods(const json& job, const Present& present);
Result<Wanted> ray_pods(const json& workload, const Present& present);
Result<Wanted> leader_worker_pods(const json& set, const Present& present);

}  // namespace muster::grouper
