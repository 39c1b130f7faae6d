// The request of a pod: amounts from its containers, GPUs from containers and annotations.
#include <algorithm>
#include <charconv>
#include <limits>

#include "manifest/namespace_limits.hpp"
#include "manifest/pod_parts.hpp"

namespace muster {
namespace {

constexpr std::int64_t kOneDevice = 1000;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void refuse(const Field& annotation, GpuAnnotations& gpu, std::string_view wanted) {
  annotation.warn("must be " + std::string(wanted));
  add_bad_gpu_request(annotation, gpu.bad);
}

void read_mig(const Field& annotation, GpuAnnotations& gpu) {
  const auto instances = parse_number<std::int64_t>(annotation.text());
  if (!instances || *instances < 0) return refuse(annotation, gpu, "a number of MIG instances");
  if (!gpu.mig_profile.empty() && gpu.mig_profile < annotation.key()) return;
  gpu.mig_profile = annotation.key();
  gpu.mig_instances = *instances;
}

std::int32_t whole_devices(std::int64_t thousandths) {
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::min(thousandths / kOneDevice, most));
}

bool is_gpu_amount(const NamedAmount& amount) {
  return amount.name == kGpuName || is_mig_profile(amount.name);
}

// GPU fractions, GPU memory and MIG profiles in annotations replace all GPUs that the containers request.
void replace_gpus(PodParts& parts, GpuRequest request) {
  std::erase_if(parts.pod.requests, is_gpu_amount);
  parts.pod.gpu = request;
}

void apply_annotations(PodParts& parts) {
  const GpuAnnotations& gpu = parts.gpu;
  if (gpu.fraction > 0)
    replace_gpus(parts, {.type = GpuRequestType::kFraction, .devices = gpu.devices, .portion = gpu.fraction});
  else if (gpu.memory_mib > 0)
    replace_gpus(parts,
                 {.type = GpuRequestType::kGpuMemory, .devices = gpu.devices, .memory_mib = gpu.memory_mib});
  if (gpu.mig_profile.empty()) return;
  replace_gpus(parts, {.legacy_mig = true});
  add(parts.pod.requests, gpu.mig_profile, gpu.mig_instances);
}

void resolve_gpus(PodParts& parts) {
  PodObject& pod = parts.pod;
  BadGpuRequests& bad = pod.constraints.bad_gpu_requests;
  bad.insert(bad.begin(), parts.gpu.bad.begin(), parts.gpu.bad.end());
  pod.gpu.devices = whole_devices(units_of(pod.requests, kGpuName));
  apply_annotations(parts);
  const bool has_profile =
      std::any_of(pod.requests.begin(), pod.requests.end(),
                  [](const NamedAmount& amount) { return amount.units > 0 && is_mig_profile(amount.name); });
  if (has_profile || pod.gpu.legacy_mig) pod.gpu.type = GpuRequestType::kMig;
}

// For resources of the pod as a whole, the API server uses the limit as a missing request only if no
// container requests that resource.
void resolve_pod_level(PodParts& parts) {
  const auto is_pod_level = [](const NamedAmount& amount) {
    return amount.name == "cpu" || amount.name == "memory" || amount.name.starts_with("hugepages-");
  };
  Amounts own = parts.pod_requests, limits = parts.pod_limits;
  std::erase_if(limits,
                [&](const NamedAmount& limit) { return units_of(parts.pod.requests, limit.name) != 0; });
  complete(own, limits);
  std::erase_if(own, [&](const NamedAmount& amount) { return !is_pod_level(amount); });
  Amounts overhead = parts.overhead;
  std::erase_if(overhead, [&](const NamedAmount& amount) {
    return !std::ranges::binary_search(own, amount.name, {}, &NamedAmount::name);
  });
  add(parts.pod.pod_level, own);
  add(parts.pod.pod_level, overhead);
}

void add_overhead(Amounts overhead, Amounts& requests) {
  std::erase_if(overhead, is_gpu_amount);
  add(requests, overhead);
}

}  // namespace

void add_bad_gpu_request(const Field& field, BadGpuRequests& bad) {
  bad.emplace_back(field.key(), field.shown());
}

void read_gpu_annotation(const Field& annotation, GpuAnnotations& gpu) {
  const std::string_view key = annotation.key();
  if (key == "gpu-fraction") {
    const auto fraction = parse_number<double>(annotation.text());
    if (!fraction || !(*fraction > 0 && *fraction <= 1))
      return refuse(annotation, gpu, "a number above 0 and at most 1");
    gpu.fraction = *fraction;
  } else if (key == "gpu-memory") {
    const auto memory = parse_number<std::int64_t>(annotation.text());
    if (!memory || *memory <= 0) return refuse(annotation, gpu, "a positive number of MiB");
    gpu.memory_mib = *memory;
  } else if (key == "gpu-fraction-num-devices") {
    const auto devices = parse_number<std::int32_t>(annotation.text());
    if (!devices || *devices <= 0) return refuse(annotation, gpu, "a positive number of devices");
    gpu.devices = *devices;
  } else if (is_mig_profile(key)) {
    read_mig(annotation, gpu);
  }
}

void resolve_request(PodParts& parts) {
  ContainerSums& sums = parts.sums;
  Amounts& requests = parts.pod.requests;
  requests = std::move(sums.app);
  add(requests, sums.sidecars);
  raise(requests, sums.peak);
  resolve_pod_level(parts);
  add_overhead(parts.overhead, requests);
  resolve_gpus(parts);
  std::erase_if(requests, [](const NamedAmount& amount) { return amount.name == kPodsName; });
  tidy(requests);
}

}  // namespace muster
