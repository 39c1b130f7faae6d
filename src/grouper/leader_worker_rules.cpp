// LeaderWorkerSet: each replica is a gang of a leader and its workers, optionally divided into segments that
// stay close together.
#include <fmt/format.h>

#include <algorithm>

#include "grouper/fields.hpp"
#include "grouper/rules.hpp"

namespace muster::grouper {
namespace {

constexpr const char* kLeader = "leader";
constexpr const char* kWorkers = "workers";
constexpr const char* kSegmentSizeKey = "kai.scheduler/segment-size";

std::string worker_index_of(const json& pod) {
  return label(pod, "leaderworkerset.sigs.k8s.io/worker-index");
}

// Workers are created once their leader runs, so the leader cannot wait for them.
bool comes_first(const Member& member) {
  return text_at(member.workload, "/spec/startupPolicy") == "LeaderReady" &&
         worker_index_of(member.pod) == "0" && text_at(member.pod, "/spec/nodeName").empty();
}

const json& workers_template(const json& set) { return at(set, "/spec/leaderWorkerTemplate/workerTemplate"); }

// How a replica of `size` pods, the leader included, is divided.
struct Segments {
  std::int64_t size = 0, length = 0;  // pods of the replica and of a segment; length 0: not divided
  bool leader_apart = false;

  // True if the leader does not fit into the segments and makes the first one larger.
  bool has_extra_leader() const { return (size - 1) % length == 0; }
  std::int64_t of_worker(std::int64_t index) const {
    return index == 0 ? 0 : (has_extra_leader() ? index - 1 : index) / length;
  }
  std::int64_t count() const { return of_worker(size - 1) + 1; }
  // The number of workers in the segment, without the leader.
  std::int64_t workers_in(std::int64_t segment) const {
    const std::int64_t first = has_extra_leader() ? 1 + segment * length : segment * length;
    return std::min(first + length, size) - std::max<std::int64_t>(first, 1);
  }
};

Result<std::int64_t> segment_length(const json& set) {
  const json& policy = at(set, "/spec/leaderWorkerTemplate/subGroupPolicy/subGroupSize");
  if (policy.is_number_integer()) return policy.get<std::int64_t>();
  for (const json* object : {&set, &workers_template(set)})
    if (const std::string text = annotation(*object, kSegmentSizeKey); !text.empty()) {
      const auto length = number(text);
      if (!length)
        return Error{fmt::format("annotation {}: \"{}\" is not a whole number", kSegmentSizeKey, text)};
      return *length;
    }
  return 0;
}

Result<Segments> segments_of(const json& set) {
  const auto size = count_at(set, "/spec/leaderWorkerTemplate/size");
  if (!size || *size == 0) return Error{"spec.leaderWorkerTemplate.size: must be at least 1"};
  const auto length = segment_length(set);
  if (!length) return length.error();
  Segments segments{.size = bounded(*size), .length = bounded(*length)};
  if (segments.length == 0) return segments;
  if (segments.length < 2 || segments.length > segments.size)
    return Error{fmt::format("segment size {}: must be between 2 and the replica size, {}", segments.length,
                             segments.size)};
  const char* const kPolicy = "/spec/leaderWorkerTemplate/subGroupPolicy/subGroupPolicyType";
  segments.leader_apart = text_at(set, kPolicy) == "LeaderExcluded";
  if (segments.leader_apart && !segments.has_extra_leader())
    return Error{fmt::format("LeaderExcluded: {} workers cannot be divided into segments of {}",
                             segments.size - 1, segments.length)};
  if (segments.count() > kMostSubGroups) return Error{"more than 10000 segments"};
  return segments;
}

std::string segment_name(std::int64_t segment) { return fmt::format("segment-{}", segment); }

json child(json group, const char* parent) {
  group["parent"] = parent;
  return group;
}

// The first segment contains the leader, unless the leader is separate.
void add_segment_groups(json& groups, const Segments& s, const json& topology, std::int64_t each) {
  if (s.leader_apart) groups.push_back(leaf(kLeader, 1));
  for (std::int64_t i = 0; i < s.count(); ++i) {
    if (i > 0 || s.leader_apart) {
      groups.push_back(leaf(segment_name(i), s.workers_in(i) * each, topology));
      continue;
    }
    groups.push_back({{"name", segment_name(0)}, {"minSubGroup", 2}});
    if (!topology.empty()) groups.back()["topologyConstraint"] = topology;
    groups.push_back(child(leaf(kLeader, 1), "segment-0"));
    groups.push_back(child(leaf(kWorkers, s.workers_in(0) * each), "segment-0"));
  }
}

}  // namespace

Result<json> leader_worker_shape(const Member& member) {
  const auto segments = segments_of(member.workload);
  if (!segments) return segments.error();
  const std::int64_t each = comes_first(member) ? 0 : 1;  // minimum per required worker
  json groups = json::array();
  if (segments->length > 0) {
    add_segment_groups(groups, *segments, segment_topology(member, workers_template(member.workload)), each);
  } else {
    groups.push_back(leaf(kLeader, 1));
    if (segments->size > 1) groups.push_back(leaf(kWorkers, (segments->size - 1) * each));
  }
  const auto top = std::ranges::count_if(groups, [](const json& group) { return !group.contains("parent"); });
  return json{{"minSubGroup", top}, {"subGroups", groups}};
}

std::string leader_worker_sub_group(const Member& member) {
  const auto segments = segments_of(member.workload);
  const std::int64_t index = number(worker_index_of(member.pod)).value_or(0);
  if (index == 0 || !segments) return kLeader;
  if (segments->length == 0) return kWorkers;
  const std::int64_t segment = segments->of_worker(index);
  return segment == 0 && !segments->leader_apart ? kWorkers : segment_name(segment);
}

std::string leader_worker_name(const Member& member, const std::string& usual) {
  const std::string index = label(member.pod, "leaderworkerset.sigs.k8s.io/group-index");
  return number(index) ? usual + "-group-" + index : usual;
}

}  // namespace muster::grouper
