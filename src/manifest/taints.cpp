#include "manifest/taints.hpp"

#include <fmt/format.h>

namespace muster {

TaintEffect taint_effect_of(const Field& effect) {
  const std::string_view name = effect.text();
  if (name.empty()) return TaintEffect::kAny;
  if (name == "NoSchedule") return TaintEffect::kNoSchedule;
  if (name == "PreferNoSchedule") return TaintEffect::kPreferNoSchedule;
  if (name == "NoExecute") return TaintEffect::kNoExecute;
  effect.fail(fmt::format("\"{}\" is no effect of a taint", name));
  return TaintEffect::kNoSchedule;
}

}  // namespace muster
