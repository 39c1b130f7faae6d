// Lists of resources in the units of the model.
#pragma once

#include <string_view>
#include <vector>

#include "manifest/field.hpp"

namespace muster {

// In the order of their names, each name once: all functions below keep it so, and lists of any length are
// cheap to put together.
using Amounts = std::vector<NamedAmount>;

inline constexpr std::string_view kGpuName =
    "nvidia.com/gpu";  // devices of every vendor that is counted as GPU
inline constexpr std::string_view kPodsName = "pods";

bool is_mig_profile(std::string_view name);

// Adds the entries of a ResourceList: cpu in thousandths, memory in bytes, GPUs in thousandths of a device,
// MIG profiles, pods and storage whole, extended and other prefixed resources in thousandths. Other names do
// not count.
void add_resource_list(const Field& list, Amounts& amounts);
void add_resource(std::string_view name, const Field& quantity, Amounts& amounts);

// Sums and products stop at the largest number.
void add(Amounts& amounts, std::string_view name, std::int64_t units);
void add(Amounts& amounts, const Amounts& more);
void raise(Amounts& amounts, const Amounts& floor);  // to at least the floor, name by name
std::int64_t units_of(const Amounts& amounts, std::string_view name);
// Adds the entries for names that are not there.
void complete(Amounts& amounts, const Amounts& defaults);
// Zero entries go.
void tidy(Amounts& amounts);

}  // namespace muster
