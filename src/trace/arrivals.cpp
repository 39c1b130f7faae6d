// Turns each job into a PodGroup and its pods when the clock reaches its arrival.
#include "trace/arrivals.hpp"

#include <fmt/format.h>

#include <string_view>

#include "model/resources.hpp"
#include "trace/queues.hpp"
#include "trace/values.hpp"

namespace muster::trace {
namespace {

constexpr const char* kNamespace = "default";
constexpr const char* kGpuProduct = "nvidia.com/gpu.product";

Meta meta_of(std::string name, const std::string& user, TimePoint at) {
  Meta meta{.ns = kNamespace, .name = std::move(name), .created = at};
  meta.uid = key_of(meta.ns, meta.name);
  if (!user.empty()) meta.labels.emplace_back("user", user);
  return meta;
}

// Requires a node of one of the models in a list such as "A100|H100".
void require_model(std::string_view models, Constraints& constraints) {
  if (models.empty()) return;
  Requirement requirement{.key = kGpuProduct};
  for (std::string_view rest = models; !rest.empty();) {
    const std::size_t bar = rest.find('|');
    if (const auto model = without_space(rest.substr(0, bar)); !model.empty())
      requirement.values.emplace_back(model);
    rest = bar == std::string_view::npos ? "" : rest.substr(bar + 1);
  }
  constraints.has_required_affinity = true;
  constraints.required_affinity = {{.labels = {std::move(requirement)}}};
}

GpuRequest gpu_request_of(const TraceJob& job) {
  if (job.gpu_share > 0) return {.type = GpuRequestType::kFraction, .devices = 1, .portion = job.gpu_share};
  return {.devices = job.gpus};
}

PodGroupObject group_of(const Trace& trace, const TraceJob& job, TimePoint at) {
  PodGroupObject group{.meta = meta_of(job.name, trace.texts[job.user], at)};
  group.queue = trace.texts[job.queue];
  group.priority_class = priority_class_of(trace.texts[job.priority]);
  group.preemptibility = trace.texts[job.preemptibility];
  group.min_member = job.min;
  if (job.expected_runtime) group.expected_runtime = format_duration(*job.expected_runtime);
  group.work = job.work;
  return group;
}

// The part that all pods of a job share.
PodObject pod_of(const Trace& trace, const TraceJob& job, const std::string& scheduler) {
  PodObject pod;
  pod.phase = PodPhase::kPending;
  pod.scheduler = scheduler;
  pod.pod_group = job.name;
  pod.gpu = gpu_request_of(job);
  if (job.milli_cores > 0) pod.requests.push_back({"cpu", job.milli_cores});
  if (job.bytes > 0) pod.requests.push_back({"memory", job.bytes});
  if (job.gpus > 0) pod.requests.push_back({"nvidia.com/gpu", job.gpus * kOneGpu});
  require_model(trace.texts[job.gpu_model], pod.constraints);
  return pod;
}

}  // namespace

std::vector<Object> objects_of(const Trace& trace, const TraceJob& job, TimePoint at,
                               const std::string& scheduler) {
  std::vector<Object> objects;
  objects.reserve(static_cast<std::size_t>(job.pods) + 1);
  objects.emplace_back(group_of(trace, job, at));
  PodObject pod = pod_of(trace, job, scheduler);
  for (std::int32_t i = 0; i < job.pods; ++i) {
    pod.meta = meta_of(fmt::format("{}-{}", job.name, i), trace.texts[job.user], at);
    objects.emplace_back(pod);
  }
  return objects;
}

std::optional<TimePoint> TraceArrivals::next() const {
  if (taken_ >= trace_->jobs.size()) return std::nullopt;
  return trace_->submitted(trace_->jobs[taken_], start_);
}

std::vector<Object> TraceArrivals::take() {
  const TraceJob& job = trace_->jobs[taken_++];
  return objects_of(*trace_, job, trace_->submitted(job, start_), scheduler_);
}

}  // namespace muster::trace
