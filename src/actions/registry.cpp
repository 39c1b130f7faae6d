// The one list of actions: name, arguments, and factory.
#include "actions/registry.hpp"

#include <functional>

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
  options.preemptors =
      given.choice<RequeueContenders>("contenders",
                                      {{"outranking", RequeueContenders::kOutranking},
                                       {"scheduling-order", RequeueContenders::kSchedulingOrder}},
                                      options.preemptors);
  options.is_dry_run = given.boolean("dryRun", options.is_dry_run);
  return options;
}

struct Registered {
  KnownComponent known;
  FromArguments make;
};

const std::vector<Registered>& registered() {
  static const std::vector<Registered> actions{
      {{"allocate"}, [](const Arguments&) { return make_allocate(); }},
      {{.name = "consolidation", .needs_generator = true},
       [](const Arguments&) { return make_consolidation(); }},
      {{.name = "requeue",
        .arguments = {"defaultRequeueDelay", "contenders", "dryRun"},
        .needs_generator = true},
       [](const Arguments& given) { return make_requeue(requeue_options(given)); }},
      {{.name = "reclaim", .needs_generator = true}, [](const Arguments&) { return make_reclaim(); }},
      {{.name = "preempt", .needs_generator = true}, [](const Arguments&) { return make_preempt(); }},
      {{"stalegangeviction"}, [](const Arguments&) { return make_stale_gang(); }},
  };
  return actions;
}

}  // namespace

std::vector<KnownComponent> known_actions() {
  std::vector<KnownComponent> known;
  for (const Registered& action : registered()) known.push_back(action.known);
  return known;
}

std::vector<std::shared_ptr<Action>> make_actions(const Config& config, std::vector<Error>& errors) {
  std::vector<std::shared_ptr<Action>> made;
  for (const std::string& name : config.actions) {
    const ActionConfig action = config.action(name);
    for (const Registered& candidate : registered())
      if (candidate.known.name == name)
        made.push_back(candidate.make(Arguments(action, candidate.known, errors)));
  }
  return made;
}

}  // namespace muster::actions
