// Bytes as deltas: objects come, change and go, in any order. A cluster that saw them all equals one that is
// given only the remaining objects.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/sums_text.hpp"

namespace {

using namespace muster;

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  bool empty() const { return left_ == 0; }
  // 0 to below - 1; 0 at the end.
  int next(int below) {
    if (left_ == 0) return 0;
    --left_;
    return *data_++ % below;
  }
  bool flip() { return next(2) == 1; }
  std::string name(const char* prefix, int below) { return prefix + std::to_string(next(below)); }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

NodeObject some_node(Bytes& bytes) {
  NodeObject node{.meta = {.name = bytes.name("n", 3)}};
  node.allocatable = {{"cpu", 8000}, {"nvidia.com/gpu", bytes.next(9) * kOneGpu}, {"pods", 110}};
  if (bytes.next(8) == 0) node.meta.labels = {{"kai.scheduler/node-pool", "other"}};
  if (bytes.next(4) == 0)
    node.meta.labels.emplace_back("nvidia.com/gpu.memory", std::to_string(1000 * bytes.next(4)));
  return node;
}

QueueObject some_queue(Bytes& bytes) {
  const QueueAmounts any{.quota = -1, .limit = -1, .weight = 1};
  QueueObject queue{.meta = {.name = bytes.name("q", 4)}, .cpu = any, .memory = any, .gpu = any};
  if (bytes.flip()) queue.parent_name = bytes.name("q", 4);
  queue.gpu.quota = bytes.next(5);
  if (bytes.next(6) == 0) queue.namespaces = {bytes.flip() ? "ns" : "other"};
  return queue;
}

PodGroupObject some_group(Bytes& bytes) {
  const std::string name = bytes.name("g", 4);
  PodGroupObject group{.meta = {.ns = "ns", .name = name, .uid = name}};
  group.queue = bytes.name("q", 5);
  group.min_member = bytes.next(4);
  group.preemptibility = std::array{"", "", "preemptible", "non-preemptible",
                                    "semi-preemptible"}[static_cast<std::size_t>(bytes.next(5))];
  for (int i = bytes.next(3); i > 0; --i)
    group.sub_groups.push_back({.name = bytes.name("s", 3), .min_member = 1});
  if (bytes.next(8) == 0) group.meta.labels = {{"kai.scheduler/node-pool", "other"}};
  return group;
}

// Requests a share of one device or two, which the pod may name.
void take_a_share(Bytes& bytes, PodObject& pod) {
  pod.requests.clear();
  const bool is_memory = bytes.flip();
  pod.gpu = {.type = is_memory ? GpuRequestType::kGpuMemory : GpuRequestType::kFraction,
             .devices = 1 + bytes.next(2),
             .portion = is_memory ? 0 : 0.25 * (1 + bytes.next(4)),
             .memory_mib = is_memory ? 500 * bytes.next(5) : 0};
  for (int i = bytes.next(3); i > 0; --i) pod.gpu_groups.push_back(bytes.name("d", 3));
}

PodObject some_pod(Bytes& bytes) {
  const std::string name = bytes.name("p", 6);
  PodObject pod{.meta = {.ns = "ns", .name = name, .uid = name + bytes.name("-", 2)}};
  pod.scheduler = bytes.next(8) == 0 ? "other" : "kai-scheduler";
  if (bytes.next(4) != 0) pod.pod_group = bytes.name("g", 4);
  if (bytes.next(4) == 0) pod.sub_group = bytes.name("s", 3);
  if (bytes.flip()) pod.node = bytes.name("n", 4);
  pod.phase = pod.node.empty() ? PodPhase::kPending : static_cast<PodPhase>(bytes.next(5));
  pod.requests = {{"nvidia.com/gpu", bytes.next(4) * kOneGpu}};
  if (bytes.next(4) == 0) pod.meta.labels = {{"kai.scheduler/queue", bytes.name("q", 5)}};
  if (bytes.next(6) == 0) pod.app = "kai-resource-reservation";
  if (bytes.next(6) == 0) pod.deletion = TimePoint();
  if (bytes.next(3) == 0) take_a_share(bytes, pod);
  if (bytes.next(6) == 0) pod.nominated_node = bytes.name("n", 4);
  if (bytes.next(6) == 0) pod.owner = {"Owner", bytes.name("o", 3), ""};
  if (bytes.next(6) == 0) pod.preemptibility = bytes.flip() ? "non-preemptible" : "preemptible";
  return pod;
}

BindRequestObject some_bind(Bytes& bytes) {
  const std::string name = bytes.name("p", 6);
  BindRequestObject bind{.meta = {.ns = "ns", .name = name}, .pod = name, .node = bytes.name("n", 4)};
  bind.pod_uid = name + bytes.name("-", 2);
  bind.failed = bytes.next(4) == 0;
  if (bytes.flip()) bind.gpu_groups = {bytes.name("d", 3)};
  return bind;
}

OwnerObject some_owner(Bytes& bytes) {
  OwnerObject owner{.meta = {.ns = "ns", .name = bytes.name("o", 3)}, .kind = "Owner"};
  if (bytes.flip()) owner.preemptibility = bytes.flip() ? "non-preemptible" : "preemptible";
  if (bytes.flip()) owner.owner = {"Owner", bytes.name("o", 3), ""};
  return owner;
}

Object some_object(Bytes& bytes) {
  switch (bytes.next(8)) {
    case 0:
      return some_node(bytes);
    case 1:
      return some_queue(bytes);
    case 2:
      return some_group(bytes);
    case 3:
      return some_bind(bytes);
    case 4:
      return some_owner(bytes);
    default:
      return some_pod(bytes);
  }
}

// KAI's way: the state of a cluster follows from the objects alone. Ours also remembers what ran where.
struct Twins {
  Cluster ours;
  Cluster kais{{.compatibility = Compatibility::kai_exact()}};
  std::map<std::pair<std::string, std::string>, Object> left;  // by kind and "ns/name"

  void apply(const Object& object) {
    std::visit(
        [&]<class Known>(const Known& known) {
          left.insert_or_assign({std::string(Known::kKind), key_of(known.meta.ns, known.meta.name)}, object);
        },
        object);
    ours.apply(Object(object));
    kais.apply(Object(object));
  }
  void remove(Bytes& bytes) {
    if (left.empty()) return;
    const auto at = std::next(left.begin(), bytes.next(static_cast<int>(left.size())));
    std::visit(
        [&](const auto& known) {
          ours.remove(at->first.first, known.meta.ns, known.meta.name);
          kais.remove(at->first.first, known.meta.ns, known.meta.name);
        },
        at->second);
    left.erase(at);
  }
  void refresh() {
    ours.refresh(TimePoint());
    kais.refresh(TimePoint());
  }
};

// The tasks and their jobs, printed when a check fails.
std::string members_text(const Cluster& c) {
  std::string text;
  for (TaskId t : ids(c.tasks()))
    if (const Task& task = c.task(t); task.alive)
      text += task.name + " of " + (task.job.valid() ? c.job(task.job).name : "no job") +
              (task.in_job() ? "" : " (outside)") + "\n";
  return text;
}

void fail(const char* what, const std::string& a, const std::string& b = "") {
  std::fprintf(stderr, "%s\n%s\n----\n%s\n", what, a.c_str(), b.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  Twins twins;
  while (!bytes.empty()) {
    const int what = bytes.next(8);
    if (what == 0)
      twins.remove(bytes);
    else if (what == 1)
      twins.refresh();
    else
      twins.apply(some_object(bytes));
  }
  twins.refresh();
  for (const Cluster* cluster : {&twins.ours, &twins.kais})
    if (const std::string drift = cluster->recount(); !drift.empty()) fail("sums have drifted", drift);
  Cluster rebuilt{{.compatibility = Compatibility::kai_exact()}};
  for (const auto& [key, object] : twins.left) rebuilt.apply(Object(object));
  rebuilt.refresh(TimePoint());
  if (const std::string a = sums_text(twins.kais), b = sums_text(rebuilt); a != b)
    fail("deltas, rebuilt", a + members_text(twins.kais), b + members_text(rebuilt));
  // Every pod on a node of ours is charged to some queue.
  const Cluster& c = twins.ours;
  for (TaskId t : ids(c.tasks())) {
    const Task& task = c.task(t);
    const Placement& at = c.placement(t);
    if (!task.alive || !task.is_ours || !at.node.valid() || !in(at.status, kActiveAllocated)) continue;
    if (!task.in_job() || !c.job(task.job).queue.valid()) fail("charged to no queue", task.full_name());
  }
  return 0;
}
