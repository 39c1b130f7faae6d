// Computes, resource by resource, the devices of containers that run in parallel or one after another.
#include "model/extended_resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "util/stable_hash.hpp"

namespace muster {
namespace {

constexpr std::string_view kImplied = "deviceclass.resource.kubernetes.io/";
constexpr std::int64_t kPerDevice = 1000;

struct Wanted {
  std::int64_t devices = 0;
  std::size_t at = 0;  // index into the container's amounts
};

Wanted wanted_by(const ContainerRequest& container, const std::string& amount_name) {
  const auto found = std::ranges::find(container.amounts, amount_name, &NamedAmount::name);
  if (found == container.amounts.end()) return {};
  return {(found->units + kPerDevice - 1) / kPerDevice,
          static_cast<std::size_t>(found - container.amounts.begin())};
}

// What the containers request of one resource.
class OneResource {
 public:
  OneResource(std::span<const ContainerRequest> containers, const BackedResource& resource,
              ContainerDevices& into)
      : containers_(containers), resource_(resource), into_(into) {}

  void add() {
    for (std::size_t i = 0; i < containers_.size(); ++i)
      if (!containers_[i].runs_before) add_lasting(i);
    for (std::size_t i = 0; i < containers_.size(); ++i)
      if (containers_[i].runs_before) add_passing(i);
    if (most_beyond_.count > 0) into_.requests.push_back(most_beyond_);
    for (const std::size_t container : wanting_more_)
      into_.uses.push_back({container, resource_.name, most_beyond_.name});
  }

 private:
  struct Lasting {
    std::size_t container;
    std::string request;
    std::int64_t devices;
  };

  DeviceRequest request_of(std::size_t container, const Wanted& wanted, std::int64_t devices) const {
    return {.name = fmt::format("container-{}-request-{}", container, wanted.at),
            .device_class = resource_.device_class,
            .count = devices};
  }

  void add_lasting(std::size_t container) {
    const Wanted wanted = wanted_by(containers_[container], resource_.amount_name);
    if (wanted.devices == 0) return;
    into_.requests.push_back(request_of(container, wanted, wanted.devices));
    lasting_.push_back({container, into_.requests.back().name, wanted.devices});
    into_.uses.push_back({container, resource_.name, lasting_.back().request});
  }

  // A container that ends before the others start can use their devices, but not those of sidecars that
  // started before it: they keep running.
  void add_passing(std::size_t container) {
    const Wanted wanted = wanted_by(containers_[container], resource_.amount_name);
    std::int64_t missing = wanted.devices;
    for (const Lasting& later : lasting_) {
      if (missing <= 0 || later.container < container) continue;
      into_.uses.push_back({container, resource_.name, later.request});
      missing -= later.devices;
    }
    if (missing <= 0) return;
    wanting_more_.push_back(container);
    if (missing > most_beyond_.count) most_beyond_ = request_of(container, wanted, missing);
  }

  std::span<const ContainerRequest> containers_;
  const BackedResource& resource_;
  ContainerDevices& into_;
  std::vector<Lasting> lasting_;
  std::vector<std::size_t> wanting_more_;
  DeviceRequest most_beyond_{.count = 0};
};

}  // namespace

const DeviceClassObject* class_behind(const KeptObjects& kept, std::string_view resource) {
  const DeviceClassObject* newest = nullptr;
  if (resource.empty()) return nullptr;
  for (const auto& [name, candidate] : kept.all<DeviceClassObject>())
    if (candidate.extended_resource == resource &&
        (newest == nullptr || candidate.meta.created > newest->meta.created))
      newest = &candidate;
  if (newest != nullptr || !resource.starts_with(kImplied)) return newest;
  return kept.find<DeviceClassObject>(resource.substr(kImplied.size()));
}

ContainerDevices devices_for(std::span<const ContainerRequest> containers,
                             std::span<const BackedResource> resources) {
  ContainerDevices devices;
  for (const BackedResource& resource : resources) OneResource(containers, resource, devices).add();
  std::ranges::sort(devices.requests, {}, &DeviceRequest::name);
  return devices;
}

std::string container_claim_name(std::string_view pod, std::string_view uid) {
  constexpr std::size_t kLongestPod = 220;
  std::string_view stem = pod.substr(0, kLongestPod);
  while (stem.ends_with('.') || stem.ends_with('-')) stem.remove_suffix(1);
  return fmt::format("{}-extended-resources-{:010x}", stem, stable_hash(uid) >> 24);
}

}  // namespace muster
