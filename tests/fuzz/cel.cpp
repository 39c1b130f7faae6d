// Any text as a device selector: it is rejected, or evaluates twice to the same value in the same number of
// steps.
#include <cstdint>
#include <cstdlib>

#include "cel/expression.hpp"

namespace {

using namespace muster::cel;

class SomeDevice final : public Device {
 public:
  std::string_view driver() const override { return "gpu.example.com"; }
  std::optional<Value> attribute(std::string_view, std::string_view id) const override {
    if (id == "model") return Value(std::string("a100"));
    if (id == "count") return Value(std::int64_t{7});
    if (id == "ecc") return Value(true);
    return std::nullopt;
  }
  std::optional<muster::cel::Quantity> capacity(std::string_view, std::string_view) const override {
    return std::nullopt;
  }
  std::vector<std::string> keys(const DevicePart&) const override { return {"count", "ecc", "model"}; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto expression = Expression::parse({reinterpret_cast<const char*>(data), size});
  if (!expression) return 0;
  const SomeDevice device;
  const Evaluated first = expression->evaluate(device), second = expression->evaluate(device);
  if (first.steps != second.steps || first.value.index() != second.value.index()) std::abort();
  if (first.steps > kMostSteps || (first.is_over_limit && !first.value.failed())) std::abort();
  return 0;
}
