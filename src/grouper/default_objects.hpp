// Objects that KAI-Scheduler ships and workloads rely on: the default queue, and the priority classes.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace muster::grouper {

inline constexpr const char* kDefaultQueue = "default-queue";

// Lowest first.
inline constexpr std::array<std::string_view, 4> kShippedClasses{"train", "build-preemptible", "build",
                                                                 "inference"};

// The default queue and its parent.
std::vector<nlohmann::json> default_queues();
// Returns null if the class is not a shipped one.
nlohmann::json shipped_priority_class(const std::string& name);

}  // namespace muster::grouper
