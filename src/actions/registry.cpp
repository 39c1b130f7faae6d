// The actions by name.
#include "actions/registry.hpp"

#include <functional>
#include <map>

#include "actions/allocate.hpp"
#include "actions/consolidation.hpp"
#include "actions/preempt.hpp"
#include "actions/reclaim.hpp"
#include "actions/stale_gang.hpp"
#include "config/arguments.hpp"

namespace muster::actions {
namespace {

using FromArguments = std::function<std::shared_ptr<Action>(const Arguments&)>;

const std::map<std::string, FromArguments>& known() {
  static const std::map<std::string, FromArguments> actions{
      {"allocate", [](const Arguments&) { return make_allocate(); }},
      {"consolidation", [](const Arguments&) { return make_consolidation(); }},
      {"reclaim", [](const Arguments&) { return make_reclaim(); }},
      {"preempt", [](const Arguments&) { return make_preempt(); }},
      {"stalegangeviction", [](const Arguments&) { return make_stale_gang(); }},
  };
  return actions;
}

}  // namespace

bool is_available(const std::string& name) { return known().contains(name); }

std::vector<std::shared_ptr<Action>> make_actions(const Config& config, std::vector<Error>& errors) {
  std::vector<std::shared_ptr<Action>> made;
  for (const std::string& name : config.actions) {
    const ActionConfig action = config.action(name);
    if (const auto found = known().find(name); found != known().end())
      made.push_back(found->second(Arguments(action, errors)));
  }
  return made;
}

}  // namespace muster::actions
