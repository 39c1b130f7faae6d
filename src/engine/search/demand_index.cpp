// Turns everything but amounts into text, and each distinct text into a number. Amounts are compared pod by
// pod.
#include "engine/search/demand_index.hpp"

#include <algorithm>

namespace muster {
namespace {

void append_number(std::int64_t number, std::string& text) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_text(const std::string& part, std::string& text) {
  append_number(static_cast<std::int64_t>(part.size()), text);
  text += part;
}

void append_level(const TopologyConstraint& t, std::string& text) {
  append_text(t.topology, text), append_text(t.required, text), append_text(t.preferred, text);
}

void append_devices(const DeviceRequest& r, std::string& text) {
  append_text(r.device_class, text);
  for (const std::string& selector : r.selectors) append_text(selector, text);
  append_number(r.all ? -1 : r.count, text);
  append_number(r.admin_access, text);
  for (const DeviceRequest& alternative : r.alternatives) append_devices(alternative, text);
  text += ';';
}

// Claims created from templates are equal if their requests are equal. Any other claim is unique.
void append_claim(const Claim* claim, const ClaimReference& reference, ClaimId id, std::string& text) {
  append_text(reference.name, text);
  if (claim == nullptr || !reference.from_template || claim->current().valid())
    return append_number(id.valid() ? id.index() : -1, text);
  for (const DeviceRequest& request : claim->object.requests) append_devices(request, text);
  for (const DeviceConstraint& constraint : claim->object.constraints) {
    append_text(constraint.match_attribute, text);
    for (const std::string& request : constraint.requests) append_text(request, text);
  }
}

void append_containers(const Shape& shape, std::string& text) {
  for (const ContainerRequest& container : shape.containers) {
    append_number(container.runs_before, text);
    for (const NamedAmount& a : container.amounts) append_text(a.name, text), append_number(a.units, text);
  }
}

// Compares every resource.
bool asks_no_less(const Shape& more, const Shape& less) {
  return more.gpu.devices >= less.gpu.devices && more.gpu.portion >= less.gpu.portion &&
         more.gpu.memory_mib >= less.gpu.memory_mib &&
         std::all_of(less.request.begin(), less.request.end(),
                     [&](const Amount& a) { return amount_of(more.request, a.kind) >= a.units; });
}

bool has_levels(const TopologyConstraint& t) { return !t.topology.empty(); }

}  // namespace

DemandIndex::DemandIndex(Session& session) : session_(session) {
  if (session.cluster.shapes().has_pod_affinity()) collect_selectors();
}

// The labels of a pod affect other pods and its own group only through these selectors. The set of those that
// match the pod therefore replaces its labels.
void DemandIndex::collect_selectors() {
  const Cluster& c = session_.cluster;
  selectors_ = std::make_unique<PodSelectors>();
  for (const auto& [shape, ns] : term_shapes(c, TermsOf::kRequired).counted) {
    const Constraints& constraints = c.shape(shape).constraints;
    for (const auto* terms : {&constraints.pod_affinity, &constraints.pod_anti_affinity})
      for (const PodAffinityTerm& term : *terms) selectors_->add({.parts = {part_of(term, *ns)}});
  }
}

const DemandSignature& DemandIndex::of(JobId id) {
  Known& known = known_[id];
  if (const std::uint64_t version = session_.cluster.job(id).version; known.version != version) {
    known.version = version;
    write(id, known.ask);
  }
  return known.ask;
}

void DemandIndex::write(JobId id, DemandSignature& ask) {
  const Job& job = session_.cluster.job(id);
  const Chunk& chunk = session_.chunk(id);
  std::string& text = text_;
  text.clear();
  append_number(job.priority, text);
  append_number(static_cast<std::int64_t>(job.preemptibility), text);
  if (job.is_semi_preemptible())
    append_number(static_cast<std::int64_t>(session_.core_part(id, chunk.tasks).size()), text);
  ask.tasks.clear();
  std::uint32_t last_set = Task::kNoSet;
  for (TaskId t : chunk.tasks) {
    const Task& task = session_.cluster.task(t);
    if (task.pod_set != last_set) add_pod_set(job, last_set = task.pod_set, text);
    ask.tasks.push_back({place_of(t), task.shape});
  }
  std::sort(ask.tasks.begin(), ask.tasks.end(),
            [&](const DemandSignature::Task& a, const DemandSignature::Task& b) {
              return a.place != b.place ? a.place < b.place : is_larger(a.shape, b.shape);
            });
  for (std::size_t i = 0; i < ask.tasks.size(); ++i)
    if (i == 0 || ask.tasks[i].place != ask.tasks[i - 1].place) append_number(ask.tasks[i].place, text);
  if (is_tied_to_itself(job, ask)) append_number(id.index(), text);
  ask.like = likes_.of(text);
}

// Its position in the tree, and the topology levels that constrain it.
void DemandIndex::add_pod_set(const Job& job, std::uint32_t pod_set, std::string& text) const {
  const PodSet& set = job.pod_sets[pod_set];
  append_number(pod_set, text);
  append_level(set.topology, text);
  for (std::uint32_t at = set.parent;; at = job.sets[at].parent) {
    append_number(at, text);
    append_level(job.sets[at].topology, text);
    if (at == 0) return;
  }
}

// Whether pods that are placed already constrain those that follow.
bool DemandIndex::is_tied_to_itself(const Job& job, const DemandSignature& ask) const {
  if (job.counts.active_allocated() == 0) return false;
  const auto is_bound = [](const auto& group) { return has_levels(group.topology); };
  return std::any_of(job.sets.begin(), job.sets.end(), is_bound) ||
         std::any_of(job.pod_sets.begin(), job.pod_sets.end(), is_bound) ||
         std::any_of(ask.tasks.begin(), ask.tasks.end(), [&](const DemandSignature::Task& t) {
           const Constraints& c = session_.cluster.shape(t.shape).constraints;
           return !c.pod_affinity.empty() || !c.pod_anti_affinity.empty() || c.has_spread_constraints;
         });
}

std::uint32_t DemandIndex::place_of(TaskId t) {
  if (selectors_ != nullptr) return work_out_place(t);
  const Task& task = session_.cluster.task(t);
  const auto [at, is_new] = of_pod_set_.try_emplace({task.pod_set, task.shape}, 0);
  if (is_new) at->second = work_out_place(t);
  return at->second;
}

std::uint32_t DemandIndex::work_out_place(TaskId t) {
  const Task& task = session_.cluster.task(t);
  std::string text;
  append_number(task.pod_set, text);
  append_number(constraints_of(task.shape), text);
  if (selectors_ != nullptr) {
    std::string matching;
    const PodClassId pods = selectors_->classify(task.ns, task.labels, session_.cluster.labels_of(t));
    for (SelectorId s : selectors_->matching(pods)) append_number(s.index(), matching);
    append_number(friends_.of(matching), text);
  }
  return places_.of(text);
}

std::uint32_t DemandIndex::constraints_of(ShapeId shape) {
  const auto [at, is_new] = of_shape_.try_emplace(shape, 0);
  if (is_new) at->second = constraints_.of(text_of(session_.cluster.shape(shape)));
  return at->second;
}

std::string DemandIndex::text_of(const Shape& shape) {
  const Constraints& c = shape.constraints;
  const DeviceTable& devices = session_.cluster.devices();
  std::string text = constraint_text_.of(c);
  append_number(c.has_required_affinity, text);
  append_number(shape.ns.valid() ? shape.ns.index() : -1, text);
  for (const std::string& name : c.config_maps) append_text(name, text);
  for (std::size_t i = 0; i < shape.claims.size(); ++i) {
    const ClaimId id = shape.claims[i];
    append_claim(id.valid() ? &devices.claim(id) : nullptr, c.resource_claims[i], id, text);
  }
  append_number(static_cast<std::int64_t>(shape.gpu.type), text);
  append_number(shape.gpu.legacy_mig, text);
  append_number(shape.is_cpu_only(), text);
  append_number(shape.guaranteed, text);
  if (!devices.topologies().empty()) append_containers(shape, text);
  return text;
}

// Any total order in which a shape that requests more of everything comes first.
bool DemandIndex::is_larger(ShapeId a, ShapeId b) const {
  const Shape &x = session_.cluster.shape(a), &y = session_.cluster.shape(b);
  if (x.gpu.portion != y.gpu.portion) return x.gpu.portion > y.gpu.portion;
  if (x.gpu.memory_mib != y.gpu.memory_mib) return x.gpu.memory_mib > y.gpu.memory_mib;
  for (Kind k : {kGpu, kCpu, kMemory})
    if (const auto p = amount_of(x.request, k), q = amount_of(y.request, k); p != q) return p > q;
  return a < b;
}

bool DemandIndex::is_no_less(const DemandSignature& more, const DemandSignature& less) const {
  const Cluster& c = session_.cluster;
  auto mine = more.tasks.begin();
  for (std::size_t i = 0; i < less.tasks.size(); ++i, ++mine) {
    const DemandSignature::Task& theirs = less.tasks[i];
    if (i > 0 && theirs.place != less.tasks[i - 1].place)
      while (mine != more.tasks.end() && mine->place < theirs.place) ++mine;
    if (mine == more.tasks.end() || mine->place != theirs.place) return false;
    if (mine->shape != theirs.shape && !asks_no_less(c.shape(mine->shape), c.shape(theirs.shape)))
      return false;
  }
  return true;
}

}  // namespace muster
