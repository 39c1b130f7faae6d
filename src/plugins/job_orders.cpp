// Each order is one comparison or rank, registered under its plugin's name.
#include "plugins/job_orders.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <string>

#include "engine/cycle/session.hpp"

namespace muster::plugins {
namespace {

constexpr std::int64_t kHighestPriority = std::numeric_limits<std::int32_t>::max();

template <class T>
int smaller_first(const T& l, const T& r) {
  return l < r ? -1 : r < l ? 1 : 0;
}
int claim_first(bool l, bool r) { return smaller_first(!l, !r); }

int compare_sub_groups(const SubGroupSide& l, const SubGroupSide& r) {
  const bool l_below = l.count < l.threshold, r_below = r.count < r.threshold;
  if (l_below && r_below) return 0;
  if (l_below != r_below) return claim_first(l_below, r_below);
  if ((l.threshold > 0) != (r.threshold > 0)) return claim_first(l.threshold > 0, r.threshold > 0);
  if (l.threshold == 0) return smaller_first(l.count, r.count);
  // count/threshold, without rounding
  return smaller_first(std::int64_t{l.count} * r.threshold, std::int64_t{r.count} * l.threshold);
}

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t value = 0;
  const char* start = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(start, text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Two labels that are not numbers compare equal, so that this stays a strict weak order.
int compare_task_priorities(const Task& l, const Task& r) {
  if (l.task_priority.has_value() != r.task_priority.has_value())
    return claim_first(l.task_priority.has_value(), r.task_priority.has_value());
  if (!l.task_priority) return 0;
  const auto x = integer(*l.task_priority), y = integer(*r.task_priority);
  if (!x || !y) return claim_first(x.has_value(), y.has_value());
  return smaller_first(*y, *x);
}

}  // namespace

std::unique_ptr<Plugin> make_priority() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.job_rank.add(32, [&c = s.cluster](JobId job, ElasticState) {
      return static_cast<std::uint64_t>(kHighestPriority - c.job(job).priority);
    });
  });
}

std::unique_ptr<Plugin> make_elastic() {
  return plugin_of([](Session&, Hooks& hooks) {
    hooks.job_rank.add(2, [](JobId, ElasticState state) { return static_cast<std::uint64_t>(state); });
  });
}

std::unique_ptr<Plugin> make_sub_group_order() {
  return plugin_of([](Session&, Hooks& hooks) { hooks.sub_group_order.add(compare_sub_groups); });
}

std::unique_ptr<Plugin> make_kubeflow() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.task_order.add([&c = s.cluster](TaskId l, TaskId r) {
      return claim_first(c.task(l).leads_kubeflow, c.task(r).leads_kubeflow);
    });
  });
}

std::unique_ptr<Plugin> make_ray() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.task_order.add([&c = s.cluster](TaskId l, TaskId r) {
      return claim_first(c.task(l).leads_ray, c.task(r).leads_ray);
    });
  });
}

std::unique_ptr<Plugin> make_task_order() {
  return plugin_of([](Session& s, Hooks& hooks) {
    hooks.task_order.add(
        [&c = s.cluster](TaskId l, TaskId r) { return compare_task_priorities(c.task(l), c.task(r)); });
  });
}

}  // namespace muster::plugins
