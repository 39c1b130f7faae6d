// Plugins that consist of one function that registers hooks.
#include "engine/cycle/plugin.hpp"

namespace muster {
namespace {

class Registration final : public Plugin {
 public:
  explicit Registration(void (*registers)(Session&, Hooks&)) : registers_(registers) {}
  void open(Session& session, Hooks& hooks) override { registers_(session, hooks); }

 private:
  void (*registers_)(Session&, Hooks&);
};

}  // namespace

std::unique_ptr<Plugin> plugin_of(void (*open)(Session&, Hooks&)) {
  return std::make_unique<Registration>(open);
}

}  // namespace muster
