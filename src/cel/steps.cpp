// How much work a value is.
#include "cel/steps.hpp"

#include <fmt/format.h>

namespace muster::cel {
namespace {

constexpr std::size_t kTextOfOneStep = 64;

std::int64_t steps_over(const std::string& text) {
  return static_cast<std::int64_t>(text.size() / kTextOfOneStep);
}

}  // namespace

std::int64_t steps_over(const Value& value, std::int64_t most) {
  if (const auto* text = value.as<std::string>()) return std::min(steps_over(*text), most);
  if (const auto* part = value.as<DevicePart>()) return std::min(steps_over(part->domain), most);
  if (const auto* version = value.as<Version>()) {
    std::int64_t steps = 0;
    for (const std::string& part : version->pre_release) steps += 1 + steps_over(part);
    return std::min(steps, most);
  }
  if (const auto* optional = value.as<Optional>())
    return optional->value ? steps_over(*optional->value, most) : 0;
  const auto* items = value.as<List>();
  std::int64_t steps = 0;
  for (std::size_t i = 0; items != nullptr && i < items->size() && steps < most; ++i)
    steps += 1 + steps_over((*items)[i], most - steps - 1);
  return steps;
}

Value too_many_steps(const Steps& steps) {
  return failure(fmt::format("the expression takes more than {} steps", steps.most()));
}

}  // namespace muster::cel
