// The key of a shape is its content as text with length-prefixed strings, so equal keys mean equal shapes.
#include "model/shape_table.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace muster {
namespace {

class KeyWriter {
 public:
  explicit KeyWriter(std::string& out) : out_(out) {}
  // Writes seven bits at a time, because nearly all numbers are small.
  KeyWriter& operator<<(std::int64_t n) {
    auto rest = static_cast<std::uint64_t>(n);
    for (; rest >= 0x80; rest >>= 7) out_.push_back(static_cast<char>(rest | 0x80));
    out_.push_back(static_cast<char>(rest));
    return *this;
  }
  KeyWriter& operator<<(const std::string& s) {
    *this << static_cast<std::int64_t>(s.size());
    out_ += s;
    return *this;
  }
  KeyWriter& operator<<(const Requirement& r) {
    return *this << r.key << static_cast<std::int64_t>(r.op) << r.values;
  }
  KeyWriter& operator<<(const NodeTerm& t) { return *this << t.labels << t.fields; }
  KeyWriter& operator<<(const LabelSelector& s) {
    return *this << static_cast<std::int64_t>(s.present) << s.requirements;
  }
  KeyWriter& operator<<(const PodAffinityTerm& t) {
    return *this << t.selector << t.topology_key << t.namespaces << t.namespace_selector
                 << static_cast<std::int64_t>(t.weight);
  }
  KeyWriter& operator<<(const Toleration& t) {
    return *this << t.key << t.value << static_cast<std::int64_t>(t.exists)
                 << static_cast<std::int64_t>(t.effect);
  }
  KeyWriter& operator<<(const HostPort& p) { return *this << p.ip << p.protocol << std::int64_t{p.port}; }
  KeyWriter& operator<<(const ClaimReference& c) {
    return *this << c.name << c.claim << static_cast<std::int64_t>(c.from_template);
  }
  KeyWriter& operator<<(const std::pair<std::string, std::string>& p) { return *this << p.first << p.second; }
  KeyWriter& operator<<(const NamedAmount& a) { return *this << a.name << a.units; }
  KeyWriter& operator<<(const ContainerRequest& c) {
    return *this << static_cast<std::int64_t>(c.runs_before) << c.amounts;
  }
  template <class T>
  KeyWriter& operator<<(const std::vector<T>& items) {
    *this << static_cast<std::int64_t>(items.size());
    for (const T& item : items) *this << item;
    return *this;
  }
  // Writes a bit for each part that is not empty, then those parts. For most pods nearly all are empty.
  template <class... Parts>
  KeyWriter& present(const Parts&... parts) {
    std::int64_t which = 0, bit = 1;
    ((which |= parts.empty() ? 0 : bit, bit <<= 1), ...);
    *this << which;
    ((parts.empty() ? *this : *this << parts), ...);
    return *this;
  }

 private:
  std::string& out_;
};

bool depends_on_namespace(const Constraints& c) {
  return !c.pod_affinity.empty() || !c.pod_anti_affinity.empty() || !c.preferred_affinity.empty() ||
         !c.preferred_anti_affinity.empty() || !c.volume_claims.empty() || !c.config_maps.empty() ||
         !c.resource_claims.empty();
}

void write_constraints(const Constraints& c, KeyWriter& out) {
  out.present(c.node_selector, c.required_affinity, c.tolerations, c.host_ports, c.pod_affinity,
              c.pod_anti_affinity, c.preferred_affinity, c.preferred_anti_affinity, c.volume_claims,
              c.config_maps, c.resource_claims, c.priority_class, c.spread_text, c.bad_gpu_requests)
      << std::int64_t{c.has_required_affinity} << std::int64_t{c.priority};
}

std::int64_t rounded_hundredths(const GpuRequest& gpu) {
  return static_cast<std::int64_t>(std::floor(100 * gpu.portion + .5));
}

Request to_request(const PodObject& pod, KindTable& kinds) {
  Request request;
  for (const NamedAmount& a : pod.requests)
    if (a.units != 0) request.push_back({kinds.intern(a.name), std::min(a.units, most_units(a.name))});
  request.push_back({kPods, 1});
  std::sort(request.begin(), request.end(), [](const Amount& a, const Amount& b) { return a.kind < b.kind; });
  return request;
}

void add_gpus(Shape& shape, std::int64_t gpus) {
  if (gpus == 0) return;
  const std::int64_t units = gpus * kOneGpu;
  const auto at = std::find_if(shape.request.begin(), shape.request.end(),
                               [](const Amount& a) { return a.kind >= kGpu; });
  if (at != shape.request.end() && at->kind == kGpu)
    at->units += units;
  else
    shape.request.insert(at, {kGpu, units});
  shape.charge.units[index(Accounted::kGpus)] += units;
}

// Clamps requests for more or larger devices than any node has. They fit nowhere anyway.
GpuRequest within_bounds(GpuRequest gpu) {
  constexpr std::int32_t kMostDevices = 1 << 16;
  constexpr std::int64_t kMostMemory = std::int64_t{1} << 31;  // MiB
  if (gpu.type != GpuRequestType::kRegular) gpu.devices = std::min(gpu.devices, kMostDevices);
  gpu.memory_mib = std::min(gpu.memory_mib, kMostMemory);
  return gpu;
}

Charge queue_charge(const Shape& shape, const KindTable& kinds) {
  Charge charge;
  charge.units = {amount_of(shape.request, kCpu), std::min(amount_of(shape.request, kMemory), kMostUnits),
                  shape.whole_gpus()};
  for (const Amount& a : shape.request)
    if (const std::int64_t gpus = mig_gpus(kinds.name(a.kind)); gpus > 0)
      charge.units[2] += gpus * std::min(a.units, kMostUnits / kOneGpu) * kOneGpu;
  if (shape.gpu.type == GpuRequestType::kFraction)
    charge.units[2] += rounded_hundredths(shape.gpu) * shape.gpu.devices * (kOneGpu / 100);
  charge.units[2] = std::min(charge.units[2], kMostUnits);
  return charge;
}

std::string pattern_key(const Shape& shape) {
  std::string text;
  const Constraints& c = shape.constraints;
  KeyWriter(text) << amount_of(shape.request, kCpu) << amount_of(shape.request, kMemory) << shape.whole_gpus()
                  << static_cast<std::int64_t>(shape.gpu.type) << std::int64_t{shape.gpu.devices}
                  << std::bit_cast<std::int64_t>(shape.gpu.portion) << shape.gpu.memory_mib << c.node_selector
                  << std::int64_t{c.has_required_affinity} << c.required_affinity << c.tolerations;
  return text;
}

}  // namespace

ShapeId ShapeTable::intern(const PodObject& pod, KindTable& kinds) {
  key_.clear();
  KeyWriter key(key_);
  NamespaceId ns;
  if (depends_on_namespace(pod.constraints)) ns = intern_namespace(pod.meta.ns);
  key << pod.requests << static_cast<std::int64_t>(pod.gpu.type) << std::int64_t{pod.gpu.devices}
      << std::bit_cast<std::int64_t>(pod.gpu.portion) << pod.gpu.memory_mib
      << std::int64_t{pod.gpu.legacy_mig} << std::int64_t{ns.index()} << std::int64_t{pod.guaranteed}
      << pod.containers;
  write_constraints(pod.constraints, key);
  const auto [found, is_new] = by_key_.try_emplace(key_);
  if (!is_new) return found->second;
  Shape shape{.request = to_request(pod, kinds),
              .gpu = within_bounds(pod.gpu),
              .constraints = pod.constraints,
              .ns = ns,
              .charge = {},
              .gpu_memory = 0,
              .guaranteed = pod.guaranteed,
              .containers = pod.containers};
  shape.gpu_memory = std::min(shape.gpu.memory_mib * shape.gpu.devices, kMostUnits);
  shape.charge = queue_charge(shape, kinds);
  note(shape.constraints);
  return found->second = add(std::move(shape));
}

NamespaceId ShapeTable::intern_namespace(const std::string& name) {
  const auto [found, is_new] = namespaces_.try_emplace(name);
  if (is_new) found->second = free_namespaces_.take(namespace_ids_);
  return found->second;
}

void ShapeTable::note(const Constraints& c) {
  has_host_ports_ |= !c.host_ports.empty();
  has_pod_affinity_ |= !c.pod_affinity.empty() || !c.pod_anti_affinity.empty();
  has_preferred_affinity_ |= !c.preferred_affinity.empty() || !c.preferred_anti_affinity.empty();
}

ShapeId ShapeTable::with_claims(ShapeId base, ClaimedParts parts) {
  if (parts.claims.empty()) return base;
  const ClaimId of_containers = parts.of_containers.empty() ? ClaimId() : parts.claims.back();
  const auto [found, is_new] = with_claims_.try_emplace({base, parts.gpus, of_containers, parts.instead_of});
  if (!is_new) return found->second;
  Shape shape = shapes_[base];
  shape.base = base;
  shape.claims = std::move(parts.claims);
  shape.claimed_gpus = parts.gpus;
  auto& references = shape.constraints.resource_claims;
  references.insert(references.end(), parts.of_containers.begin(), parts.of_containers.end());
  std::erase_if(shape.request, [&](const Amount& a) {
    return std::ranges::find(parts.instead_of, a.kind) != parts.instead_of.end();
  });
  add_gpus(shape, parts.gpus);
  return found->second = add(std::move(shape));
}

ShapeId ShapeTable::add(Shape shape) {
  const ShapeId id = free_.take(shapes_);
  shapes_[id] = std::move(shape);
  if (pattern_of_.size() < shapes_.size()) pattern_of_.push_back(kNoPattern);
  pattern_of_[id] = pattern_for(id);
  return id;
}

std::uint32_t ShapeTable::pattern_for(ShapeId id) {
  const Shape& shape = shapes_[id];
  if (shape.whole_gpus() == 0 && !shape.is_shared()) return kNoPattern;
  std::string key = pattern_key(shape);
  const std::uint32_t pattern = patterns_by_key_.try_emplace(key, patterns_.size()).first->second;
  if (pattern == patterns_.size()) patterns_.push_back({.shape = id, .key = std::move(key)});
  return pattern;
}

void ShapeTable::keep_only(Marks<ShapeId> used) {
  for (ShapeId s : ids(shapes_))
    if (used.contains(s)) used.add(shapes_[s].base);
  free_.sweep(with_claims_, shapes_, used);
  free_.sweep(by_key_, shapes_, used);
  Marks<NamespaceId> namespaces(namespace_ids_.size());
  has_host_ports_ = has_pod_affinity_ = has_preferred_affinity_ = false;
  for (ShapeId s : ids(shapes_)) {
    if (!used.contains(s)) continue;
    namespaces.add(shapes_[s].ns);
    note(shapes_[s].constraints);
  }
  free_namespaces_.sweep(namespaces_, namespace_ids_, namespaces);
  keep_patterns_of(used);
}

// Renumbers the patterns. Patterns of unused shapes have no tasks.
void ShapeTable::keep_patterns_of(const Marks<ShapeId>& used) {
  const std::vector<Pattern> before = std::exchange(patterns_, {});
  patterns_by_key_.clear();
  for (ShapeId s : ids(shapes_)) {
    const std::uint32_t old = std::exchange(pattern_of_[s], kNoPattern);
    if (!used.contains(s) || old == kNoPattern) continue;
    pattern_of_[s] = pattern_for(s);
    patterns_[pattern_of_[s]].tasks = before[old].tasks;
  }
}

LabelSetId LabelTable::intern(const Labels& labels) {
  key_.clear();
  KeyWriter(key_) << labels;
  const auto [found, is_new] = by_key_.try_emplace(key_);
  if (is_new) {
    found->second = free_.take(sets_);
    sets_[found->second] = labels;
  }
  return found->second;
}

}  // namespace muster
