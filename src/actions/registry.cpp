// The actions by name.
#include "actions/registry.hpp"

#include <functional>
#include <map>

#include "actions/allocate.hpp"
#include "actions/consolidation.hpp"
#include "actions/preempt.hpp"
#include "actions/reclaim.hpp"
#include "actions/requeue/requeue.hpp"
#include "actions/stale_gang.hpp"
#include "config/arguments.hpp"

namespace muster::actions {
namespace {

using FromArguments = std::function<std::shared_ptr<Action>(const Arguments&)>;

RequeueOptions requeue_options(const Arguments& given) {
  RequeueOptions options;
  options.default_delay = given.duration("defaultRequeueDelay", options.default_delay);
  options.contenders =
      given.choice<RequeueContenders>("contenders",
                                      {{"outranking", RequeueContenders::kOutranking},
                                       {"scheduling-order", RequeueContenders::kSchedulingOrder}},
                                      options.contenders);
  options.is_dry_run = given.boolean("dryRun", options.is_dry_run);
  return options;
}

const std::map<std::string, FromArguments>& known() {
  static const std::map<std::string, FromArguments> actions{
      {"allocate", [](const Arguments&) { return make_allocate(); }},
      {"consolidation", [](const Arguments&) { return make_consolidation(); }},
      {"requeue", [](const Arguments& given) { return make_requeue(requeue_options(given)); }},
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
