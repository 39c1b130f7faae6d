// A plugin provides policy for one cycle. Each cycle creates its plugins, so their caches end with the cycle.
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
  // Registers hooks. The session outlives the plugin.
  virtual void open(Session& session, Hooks& hooks) = 0;
};

// A plugin that consists of its registration function.
std::unique_ptr<Plugin> plugin_of(void (*open)(Session&, Hooks&));

struct PluginFactory {
  std::string name;
  std::function<std::unique_ptr<Plugin>()> make;
};

class Action {
 public:
  virtual ~Action() = default;
  virtual std::string name() const = 0;
  // Called before any action of the cycle runs.
  virtual void open(Session&) {}
  virtual void run(Session& session) = 0;
  // True if the action decides by the clock alone, so that further rounds of the cycle need not repeat it.
  virtual bool runs_once() const { return false; }
};

}  // namespace muster
