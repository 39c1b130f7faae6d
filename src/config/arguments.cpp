// Parses argument values and collects mistakes with their location.
#include "config/arguments.hpp"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "config/scalars.hpp"

namespace muster {

const std::string* Arguments::find(std::string_view key) const {
  assert(known_.has_argument(key) && "the registry does not list the argument");
  const auto found = component_.arguments.find(std::string(key));
  return found == component_.arguments.end() ? nullptr : &found->second;
}

void Arguments::fail(std::string_view key, std::string message) const {
  const auto place = component_.argument_locations.find(std::string(key));
  Location where = place != component_.argument_locations.end() ? place->second : component_.where;
  if (where.path.empty()) where.path = fmt::format("{}.{}", component_.name, key);
  errors_.push_back({std::move(message), std::move(where)});
}

template <class T>
T Arguments::parsed(std::string_view key, T otherwise, Result<T> (*parse)(std::string_view)) const {
  const std::string* given = find(key);
  if (!given) return otherwise;
  const auto value = parse(*given);
  if (value) return *value;
  fail(key, value.error().message);
  return otherwise;
}

std::string Arguments::text(std::string_view key, std::string_view otherwise) const {
  const std::string* given = find(key);
  return given ? *given : std::string(otherwise);
}

Duration Arguments::duration(std::string_view key, Duration otherwise) const {
  return parsed(key, otherwise, to_non_negative_duration);
}

double Arguments::number(std::string_view key, double otherwise) const {
  return parsed(key, otherwise, to_number);
}

double Arguments::number_at_least(double minimum, std::string_view key, double otherwise) const {
  const double value = number(key, otherwise);
  if (value >= minimum) return value;
  fail(key, fmt::format("{} is less than {}", value, minimum));
  return otherwise;
}

bool Arguments::boolean(std::string_view key, bool otherwise) const {
  return parsed(key, otherwise, to_boolean);
}

}  // namespace muster
