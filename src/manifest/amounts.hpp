// Lists of resources in the units of the model.
#pragma once

#include <string_view>
#include <vector>

#include "manifest/field.hpp"

namespace muster {

// Sorted by name, each name once. All functions below keep this order, and lists of any length are cheap to
// build.
using Amounts = std::vector<NamedAmount>;

inline constexpr std::string_view kGpuName =
    "nvidia.com/gpu";  // devices of every vendor that muster counts as GPUs
inline constexpr std::string_view kPodsName = "pods";

bool is_mig_profile(std::string_view name);
// Whether it is an amount of GPUs or MIG instances that is not whole.
bool is_part_of_device(std::string_view name, const Field& quantity);

// Adds the entries of a ResourceList: cpu in thousandths, memory in bytes, GPUs in thousandths of a device;
// MIG profiles, pods and storage as whole units; extended and other prefixed resources in thousandths. Other
// names are ignored.
void add_resource_list(const Field& list, Amounts& amounts);
void add_resource(std::string_view name, const Field& quantity, Amounts& amounts);

// Sums and products saturate at the largest number.
void add(Amounts& amounts, std::string_view name, std::int64_t units);
void add(Amounts& amounts, const Amounts& more);
void raise(Amounts& amounts, const Amounts& floor);  // raises each amount to at least the floor
std::int64_t units_of(const Amounts& amounts, std::string_view name);
// Adds the entries whose names are missing.
void complete(Amounts& amounts, const Amounts& defaults);
// Removes entries of zero.
void tidy(Amounts& amounts);

}  // namespace muster
