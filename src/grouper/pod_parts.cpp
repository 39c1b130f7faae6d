// Reads the counts of workloads; an error names the invalid field.
#include "grouper/pod_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grouper/fields.hpp"

namespace muster::grouper {

Wanted none(std::string why) { return {{}, std::move(why)}; }

std::string dotted(std::string_view path) {
  std::string text(path.substr(1));
  std::ranges::replace(text, '/', '.');
  return text;
}

Error error_at(std::string_view path, std::string message) {
  return {std::move(message), {.path = dotted(path)}};
}

Result<std::optional<std::int64_t>> given_count(const json& object, const char* path,
                                                const std::string& above) {
  const json& value = at(object, path);
  if (value.is_null()) return std::optional<std::int64_t>();
  const std::string where = above + path;
  if (!value.is_number_integer()) return error_at(where, value.dump() + " is not a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)
    return std::optional<std::int64_t>(INT64_MAX);
  if (value.get<std::int64_t>() < 0) return error_at(where, value.dump() + " is negative");
  return std::optional<std::int64_t>(value.get<std::int64_t>());
}

Error too_many(std::string_view path, std::int64_t pods) {
  return error_at(path,
                  fmt::format("requests {} pods; at most {} are created per workload", pods, kMostPods));
}

std::string workload_name(const json& workload) { return text_at(workload, "/metadata/name"); }

bool is_true(const json& object, const char* path) { return at(object, path) == true; }

bool has_condition(const json& workload, std::initializer_list<std::string_view> types) {
  for (const json& condition : at(workload, "/status/conditions")) {
    if (!condition.is_object() || text_at(condition, "/status") != "True") continue;
    const std::string type = text_at(condition, "/type");
    if (std::ranges::find(types, type) != types.end()) return true;
  }
  return false;
}

}  // namespace muster::grouper
