// A plugin: policy for one cycle. Made anew for each, so what it caches dies with the cycle.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace muster {

class Session;
struct Hooks;

class Plugin {
 public:
  virtual ~Plugin() = default;
  // Registers with the hooks. The session outlives the plugin.
  virtual void open(Session& session, Hooks& hooks) = 0;
};

// A plugin that is nothing but its registration.
std::unique_ptr<Plugin> plugin_of(void (*open)(Session&, Hooks&));

struct PluginFactory {
  std::string name;
  std::function<std::unique_ptr<Plugin>()> make;
};

class Action {
 public:
  virtual ~Action() = default;
  virtual std::string name() const = 0;
  // Before any action of the cycle runs.
  virtual void open(Session&) {}
  virtual void run(Session& session) = 0;
};

}  // namespace muster
