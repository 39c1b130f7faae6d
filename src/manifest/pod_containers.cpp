// Decodes what the containers of a pod request, which ports they open, and what they refer to.
#include "manifest/namespace_limits.hpp"
#include "manifest/pod_parts.hpp"

namespace muster {
namespace {

constexpr std::string_view kAnyAddress = "0.0.0.0";

struct Container {
  Amounts requests, limits;
  bool is_sidecar = false;
};

// Whether a pod of such containers has the QoS class Guaranteed.
bool is_guaranteed(const Amounts& requests, const Amounts& limits) {
  for (const std::string_view name : {"cpu", "memory"}) {
    const std::int64_t limit = units_of(limits, name);
    if (limit == 0 || units_of(requests, name) != limit) return false;
  }
  return true;
}

// The API server refuses such amounts.
void check_devices(const Field& list, BadGpuRequests& bad) {
  list.each_member([&](const Field& amount) {
    if (!is_part_of_device(amount.key(), amount)) return;
    amount.warn("must be a whole number");
    add_bad_gpu_request(amount, bad);
  });
}

void read_resources(const Field& resources, PodParts& parts, Container& container) {
  resources.each_member([&](const Field& member) {
    if (member.key() != "requests" && member.key() != "limits") return;
    check_devices(member, parts.pod.constraints.bad_gpu_requests);
    add_resource_list(member, member.key() == "requests" ? container.requests : container.limits);
  });
}

// Completes the resources like the API server: a missing request is the limit, then the LimitRanges of the
// namespace apply.
void complete_resources(const Field& field, const PodParts& parts, Container& container) {
  complete(container.requests, container.limits);
  if (!parts.is_new || field.limits() == nullptr) return;
  const std::string& ns = parts.pod.meta.ns;
  field.limits()->complete(ns, container.requests, container.limits);
  if (const std::string no = field.limits()->refusal(ns, false, container.requests, container.limits);
      !no.empty())
    field["resources"].warn(no);
}

void add_init_container(const Container& container, ContainerSums& sums) {
  if (container.is_sidecar) return add(sums.sidecars, container.requests);
  Amounts needed = sums.sidecars;
  add(needed, container.requests);
  raise(sums.peak, needed);
}

void read_port(const Field& port, PodParts& parts) {
  auto number = port["hostPort"].int32();
  if (!number && parts.uses_host_network) number = port["containerPort"].int32();
  if (!number || *number == 0) return;
  HostPort& added = parts.pod.constraints.host_ports.emplace_back();
  added.ip = port["hostIP"].text();
  added.protocol = port["protocol"].text();
  added.port = *number;
  if (added.ip.empty()) added.ip = kAnyAddress;
  if (added.protocol.empty()) added.protocol = "TCP";
}

void add_config_map(const Field& reference, References& references) {
  if (!reference.is_present() || reference["optional"].boolean().value_or(false)) return;
  references.config_maps.push_back(reference["name"].text());
}

void read_references(const Field& member, References& references) {
  const std::string_view key = member.key();
  if (key == "env")
    member.each_object([&](const Field& variable) {
      const Field source = variable.object("valueFrom");
      add_config_map(source.object("configMapKeyRef"), references);
    });
  else if (key == "envFrom")
    member.each_object(
        [&](const Field& source) { add_config_map(source.object("configMapRef"), references); });
  else if (key == "volumeMounts")
    member.each_object(
        [&](const Field& mount) { references.mounted_volumes.push_back(mount["name"].text()); });
}

void read_ports(const Field& ports, PodParts& parts) {
  ports.each_object([&](const Field& port) { read_port(port, parts); });
}

Container read_container(const Field& field, ContainerRole role, PodParts& parts) {
  Container container;
  std::optional<Field> ports;
  field.each_member([&](const Field& member) {
    if (member.key() == "resources")
      read_resources(member, parts, container);
    else if (member.key() == "restartPolicy")
      container.is_sidecar = role == ContainerRole::kInit && member.text() == "Always";
    else if (member.key() == "ports")
      ports.emplace(member);
    else
      read_references(member, parts.references);
  });
  if (ports && (role == ContainerRole::kApp || container.is_sidecar)) read_ports(*ports, parts);
  if (role != ContainerRole::kEphemeral) complete_resources(field, parts, container);
  return container;
}

void add_container(Container&& container, ContainerRole role, PodParts& parts) {
  if (role == ContainerRole::kEphemeral) return;
  ContainerSums& sums = parts.sums;
  parts.pod.containers.push_back({role == ContainerRole::kInit && !container.is_sidecar, container.requests});
  sums.has_containers = true;
  sums.is_guaranteed = sums.is_guaranteed && is_guaranteed(container.requests, container.limits);
  add(sums.limits, container.limits);
  if (role == ContainerRole::kInit) return add_init_container(container, sums);
  if (sums.app.empty())
    sums.app = std::move(container.requests);
  else
    add(sums.app, container.requests);
}

}  // namespace

void read_containers(const Field& list, ContainerRole role, PodParts& parts) {
  list.each_object(
      [&](const Field& field) { add_container(read_container(field, role, parts), role, parts); });
}

void read_pod_resources(const Field& resources, PodParts& parts) {
  Container pod;
  read_resources(resources, parts, pod);
  parts.pod_requests = std::move(pod.requests);
  parts.pod_limits = std::move(pod.limits);
}

bool is_guaranteed(const PodParts& parts) {
  const bool says_itself = !parts.pod_requests.empty() || !parts.pod_limits.empty();
  if (!says_itself) return parts.sums.has_containers && parts.sums.is_guaranteed;
  Amounts requests = parts.pod_requests;
  complete(requests, parts.pod_limits);
  return is_guaranteed(requests, parts.pod_limits);
}

void check_pod_limits(const Field& spec, const PodParts& parts) {
  if (!parts.is_new || spec.limits() == nullptr) return;
  if (const std::string no =
          spec.limits()->refusal(parts.pod.meta.ns, true, parts.pod.requests, parts.sums.limits);
      !no.empty())
    spec["containers"].warn(no);
}

}  // namespace muster
