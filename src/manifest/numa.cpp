// Decodes the NUMA zones of nodes, and the amounts that pods hold in them.
#include "manifest/amounts.hpp"
#include "manifest/decoders.hpp"
#include "manifest/meta.hpp"
#include "manifest/parts.hpp"

namespace muster {
namespace {

AlignmentPolicy policy_of(std::string_view name) {
  if (name == "single-numa-node") return AlignmentPolicy::kSingleZone;
  if (name == "restricted") return AlignmentPolicy::kRestricted;
  return name == "best-effort" ? AlignmentPolicy::kBestEffort : AlignmentPolicy::kNone;
}

// The older field `topologyPolicies` has policy and scope in one word.
void read_old_policy(const Field& policies, NodeTopologyObject& topology) {
  std::string first;
  policies.each_item([&](const Field& policy) {
    if (first.empty()) first = policy.text();
  });
  topology.by_pod = first.ends_with("PodLevel");
  if (first.starts_with("SingleNUMANode")) topology.policy = AlignmentPolicy::kSingleZone;
  if (first.starts_with("Restricted")) topology.policy = AlignmentPolicy::kRestricted;
  if (first.starts_with("BestEffort")) topology.policy = AlignmentPolicy::kBestEffort;
}

void read_policy(const Field& root, NodeTopologyObject& topology) {
  std::string_view policy, scope;
  root["attributes"].each_object([&](const Field& attribute) {
    if (attribute["name"].text() == "topologyManagerPolicy") policy = attribute["value"].text();
    if (attribute["name"].text() == "topologyManagerScope") scope = attribute["value"].text();
  });
  if (policy.empty()) return read_old_policy(root["topologyPolicies"], topology);
  topology.policy = policy_of(policy);
  topology.by_pod = scope == "pod";
}

void read_zone(const Field& field, NodeTopologyObject& topology) {
  if (field["type"].text() != "Node") return;  // ignore sockets and dies: nothing is aligned to them
  NumaZoneSpec& zone = topology.zones.emplace_back();
  const Field name = field["name"];
  zone.name = name.text();
  if (zone.name.empty()) name.fail("is missing");
  field["resources"].each_object([&](const Field& resource) {
    const std::string_view kind = resource["name"].text();
    add_resource(kind, resource["allocatable"], zone.allocatable);
    add_resource(kind, resource["available"], zone.available);
  });
}

}  // namespace

std::vector<ZoneRecord> zone_records_of(const Field& list) {
  std::vector<ZoneRecord> records;
  list.each_object([&](const Field& field) {
    ZoneRecord& record = records.emplace_back();
    record.zone = field["zone"].text();
    const Field amount = field.object("amount");
    add_resource_list(amount, record.amounts);
  });
  return records;
}

std::vector<ZoneRecord> zone_records_in(const Field& annotation) {
  simdjson::dom::parser parser;
  simdjson::dom::element json;
  if (annotation.text().empty()) return {};
  if (parser.parse(simdjson::padded_string(annotation.text())).get(json) != simdjson::SUCCESS ||
      !json.is_array()) {
    annotation.warn("is not a JSON list of zones; ignored");
    return {};
  }
  return zone_records_of(Field(annotation, "", json));
}

void decode(const Field& root, NodeTopologyObject& topology) {
  read_meta(root, topology.meta);
  read_policy(root, topology);
  root["zones"].each_object([&](const Field& zone) { read_zone(zone, topology); });
}

}  // namespace muster
