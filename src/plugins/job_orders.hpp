// Orders jobs within a queue, sub groups within a job and tasks within a sub group: plugins priority,
// elastic, subgrouporder, kubeflow, ray, taskorder. fairshare.md 5.
#pragma once

#include <memory>

#include "engine/cycle/plugin.hpp"

namespace muster::plugins {

std::unique_ptr<Plugin> make_priority();         // higher PodGroup priority first
std::unique_ptr<Plugin> make_elastic();          // below the minimum, then at it, then above
std::unique_ptr<Plugin> make_sub_group_order();  // unsatisfied ones first, then the least filled
std::unique_ptr<Plugin> make_kubeflow();         // masters and launchers first
std::unique_ptr<Plugin> make_ray();              // head nodes first
std::unique_ptr<Plugin> make_task_order();       // by the label kai.scheduler/task-priority

}  // namespace muster::plugins
