// One row per format: its name and its column maps.
#include "trace/formats.hpp"

#include <algorithm>
#include <array>

namespace muster::trace {
namespace {

constexpr std::array<std::string_view, 1> kNeedsDuration{"duration"};
// Jobs that never started have no attempts.
constexpr std::array<std::string_view, 2> kNeedsAttempts{"gpus", "duration"};

// High-priority jobs evict spot jobs. Both are preemptible, because non-preemptible jobs need a quota,
// which the queues created for a trace do not have.
constexpr std::array<Translation, 2> kSpotPriorities{{{"priority", "HP", "90"}, {"priority", "Spot", "50"}}};

constexpr std::array<Format, 5> kFormats{{
    {.name = "openb",
     .jobs = "submit=creation_time, job=name, queue=qos, gpus=num_gpu*gpu_milli/1000, cpu=cpu_milli/1000, "
             "memory=memory_mib/1024, duration=deletion_time-creation_time, gpu_model=gpu_spec",
     .nodes = "node=sn, gpus=gpu, cpu=cpu_milli/1000, memory=memory_mib/1024, model=model",
     .needed = kNeedsDuration},
    {.name = "philly",
     .jobs = "submit=submitted_time, job=jobid, queue=vc, user=user, pods=attempts.pods, gpus=attempts.gpus, "
             "duration=attempts.seconds",
     .nodes = "node=machineId, gpus=\"number of GPUs\", model=\"single GPU mem\"",
     .needed = kNeedsAttempts,
     .derived = philly_column},
    {.name = "helios",
     .jobs =
         "submit=submit_time, job=job_id, queue=vc, user=user, pods=node_num, gpus=ceil(gpu_num/node_num), "
         "cpu=cpu_num/node_num, duration=duration",
     .nodes = "",
     .needed = kNeedsDuration},
    {.name = "alibaba-spot",
     .jobs = "submit=submit_time, job=job_name, queue=organization, pods=worker_num, gpus=gpu_request, "
             "cpu=cpu_request, duration=duration, gpu_model=gpu_model, priority=job_type",
     .nodes = "node=node_name, gpus=gpu_capacity_num, cpu=cpu_num, model=gpu_model",
     .needed = kNeedsDuration,
     .translations = kSpotPriorities},
    {.name = "tiresias",
     .jobs = "submit=submit_time, job=job_id, pods=num_gpu, gpus=min(num_gpu, 1), duration=duration",
     .nodes =
         "count=num_switch*num_node_p_switch, gpus=num_gpu_p_node, cpu=num_cpu_p_node, memory=mem_p_node",
     .needed = kNeedsDuration},
}};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &Format::name);
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace muster::trace
