#include "manifest/manifest.hpp"

#include <array>

#include "manifest/decoders.hpp"

namespace muster {
namespace {

struct Step {
  const Document& document;
  const DecodeOptions& options;
  ObjectSink& sink;
  Findings& findings;
};

template <class Object, void (ObjectSink::*kGive)(Object&&), Scope kScope>
void decode_into(const Step& step) {
  Decoding decoding{step.document, kScope, step.options.now, step.findings, false, {}};
  Object object;
  decode(Field(decoding), object);
  if (!decoding.is_unusable) (step.sink.*kGive)(std::move(object));
}

struct KnownKind {
  std::string_view group, kind;
  void (*decode)(const Step&);
};

template <auto kGive, class Object, Scope kScope>
constexpr KnownKind known(std::string_view group, std::string_view kind) {
  return {group, kind, &decode_into<Object, kGive, kScope>};
}

constexpr Scope kSpaced = Scope::kNamespaced;
constexpr Scope kGlobal = Scope::kCluster;
using Sink = ObjectSink;

// Any version of the group will do: what is read has the same names in all of them.
constexpr auto kKnownKinds = std::to_array<KnownKind>({
    known<&Sink::pod, PodObject, kSpaced>("", "Pod"),
    known<&Sink::pod_group, PodGroupObject, kSpaced>("scheduling.run.ai", "PodGroup"),
    known<&Sink::node, NodeObject, kGlobal>("", "Node"),
    known<&Sink::bind_request, BindRequestObject, kSpaced>("scheduling.run.ai", "BindRequest"),
    known<&Sink::queue, QueueObject, kGlobal>("scheduling.run.ai", "Queue"),
    known<&Sink::pod_group, PodGroupObject, kSpaced>("scheduling.kai.nvidia.com", "PodGroup"),
    known<&Sink::pod_group, PodGroupObject, kSpaced>("scheduling.volcano.sh", "PodGroup"),
    known<&Sink::priority_class, PriorityClassObject, kGlobal>("scheduling.k8s.io", "PriorityClass"),
    known<&Sink::topology, TopologyObject, kGlobal>("kai.scheduler", "Topology"),
    known<&Sink::config_map, ConfigMapObject, kSpaced>("", "ConfigMap"),
    known<&Sink::volume_claim, VolumeClaimObject, kSpaced>("", "PersistentVolumeClaim"),
    known<&Sink::volume, VolumeObject, kGlobal>("", "PersistentVolume"),
    known<&Sink::storage_class, StorageClassObject, kGlobal>("storage.k8s.io", "StorageClass"),
    known<&Sink::storage_capacity, StorageCapacityObject, kSpaced>("storage.k8s.io", "CSIStorageCapacity"),
    known<&Sink::csi_driver, CsiDriverObject, kGlobal>("storage.k8s.io", "CSIDriver"),
    known<&Sink::resource_claim, ResourceClaimObject, kSpaced>("resource.k8s.io", "ResourceClaim"),
    known<&Sink::resource_slice, ResourceSliceObject, kGlobal>("resource.k8s.io", "ResourceSlice"),
    known<&Sink::device_class, DeviceClassObject, kGlobal>("resource.k8s.io", "DeviceClass"),
    known<&Sink::node_topology, NodeTopologyObject, kGlobal>("topology.node.k8s.io", "NodeResourceTopology"),
});

// Any kind that is not in the table.
constexpr KnownKind kOwner = known<&Sink::owner, OwnerObject, kSpaced>("", "");

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

const KnownKind* find_kind(const Document& document) {
  const std::string_view group = group_of(document.api_version()), kind = document.kind();
  for (const KnownKind& known : kKnownKinds)
    if (known.kind == kind && known.group == group) return &known;
  return nullptr;
}

Error error_at(const Document& document, std::string message, std::string path = "") {
  const int line = document.line_of(path);
  return {std::move(message), {document.file(), line, "", std::move(path)}};
}

// Objects of other schedulers and controllers are none of ours; an object that hides what it is is a mistake.
void count_unknown(const Document& document, Findings& findings) {
  if (!document.root().is_object()) {
    findings.errors.push_back(error_at(document, "not a Kubernetes object"));
  } else if (document.kind().empty() && !document.api_version().empty()) {
    findings.errors.push_back(error_at(document, "is missing", "kind"));
  } else if (document.kind().empty()) {
    ++findings.unknown_kinds["(no kind)"];
  } else {
    const std::string version(document.api_version());
    ++findings.unknown_kinds[version + (version.empty() ? "" : " ") + std::string(document.kind())];
  }
}

bool has(const Document& document, std::string_view pointer) {
  Json value;
  return document.root().at_pointer(pointer).get(value) == simdjson::SUCCESS && !value.is_null();
}

// It says how its pods may be interrupted, or who owns it in turn.
bool speaks_of_pods(const Document& document) {
  return has(document, "/metadata/labels/kai.scheduler~1preemptibility") ||
         has(document, "/metadata/ownerReferences/0");
}

// An object of any kind may own pods. One that does not speak of them only counts as the top of its chain.
void decode_other(const Step& step) {
  const Document& document = step.document;
  const bool is_object =
      document.root().is_object() && !document.kind().empty() && has(document, "/metadata/name");
  if (!is_object || !speaks_of_pods(document)) count_unknown(document, step.findings);
  if (!is_object) return;
  if (!speaks_of_pods(document)) {
    Findings not_ours;
    return kOwner.decode({document, step.options, step.sink, not_ours});
  }
  ++step.findings.known_kinds[std::string(document.kind())];
  kOwner.decode(step);
}

}  // namespace

void decode_object(const Document& document, const DecodeOptions& options, ObjectSink& sink,
                   Findings& findings) {
  const KnownKind* const known = find_kind(document);
  if (known == nullptr) return decode_other({document, options, sink, findings});
  ++findings.known_kinds[std::string(known->kind)];
  known->decode({document, options, sink, findings});
}

Findings read_manifests(const std::vector<std::string>& paths, const DecodeOptions& options,
                        ObjectSink& sink) {
  Findings findings;
  const auto use = [&](const Document& document) { decode_object(document, options, sink, findings); };
  const auto fail = [&](const Error& error) { findings.errors.push_back(error); };
  for (const std::string& path : paths) {
    const auto files = files_below(path);
    if (!files) fail(files.error());
    if (!files) continue;
    for (const std::string& file : *files) read_documents(file, use, fail);
  }
  return findings;
}

}  // namespace muster
