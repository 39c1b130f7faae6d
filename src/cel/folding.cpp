// A part is constant if it names neither the device nor anything that is bound outside of it.
#include <algorithm>

#include "cel/evaluation.hpp"

namespace muster::cel {
namespace {

using Kind = Node::Kind;

class NoDevice final : public Device {
 public:
  std::string_view driver() const override { return ""; }
  std::optional<Value> attribute(std::string_view, std::string_view) const override { return std::nullopt; }
  std::optional<Quantity> capacity(std::string_view, std::string_view) const override { return std::nullopt; }
  std::vector<std::string> keys(const DevicePart&) const override { return {}; }
};

class Folding {
 public:
  explicit Folding(Steps& steps) : steps_(steps) {}

  // Folds the node. Returns the outermost binding that it depends on.
  std::size_t outermost(Node& node) {
    if (node.kind == Kind::kLiteral) return kNothing;
    const std::size_t depends_on =
        node.kind == Kind::kName ? binding_of(node.text) : outermost_of_parts(node);
    if (depends_on == kNothing) replace(node);
    return depends_on;
  }

 private:
  // Bindings are numbered from the outside: the device, then names_. kNothing: the same everywhere.
  static constexpr std::size_t kDevice = 0, kNothing = static_cast<std::size_t>(-1);

  // A name that is bound nowhere fails in the same way on every device.
  std::size_t binding_of(const std::string& name) const {
    for (std::size_t i = names_.size(); i > 0; --i)
      if (names_[i - 1] == name) return i;
    return name == "device" ? kDevice : kNothing;
  }

  std::size_t outermost_of_parts(Node& node) {
    if (node.kind == Kind::kHas || node.kind == Kind::kOptional) return outermost_of_parts(node.parts[0]);
    const bool binds = node.kind == Kind::kBind || node.kind == Kind::kMacro;
    std::size_t depends_on = node.parts.empty() ? kNothing : outermost(node.parts[0]);
    if (binds) names_.push_back(node.text);
    for (std::size_t i = 1; i < node.parts.size(); ++i) {
      const std::size_t part = outermost(node.parts[i]);
      if (!binds || part < names_.size()) depends_on = std::min(depends_on, part);
    }
    if (binds) names_.pop_back();
    return depends_on;
  }

  void replace(Node& node) const {
    Value value = value_of(node, NoDevice(), steps_);
    if (!steps_.are_used_up()) node = Node{.value = std::move(value)};
  }

  Steps& steps_;
  std::vector<std::string> names_;
};

}  // namespace

void fold_constants(Node& root, Steps& steps) { Folding(steps).outermost(root); }

}  // namespace muster::cel
