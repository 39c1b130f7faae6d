// Why jobs are pending, and what was tried for them, as JSON: one function per part, named after its field.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "answers/json.hpp"
#include "model/reason_text.hpp"

namespace muster::answers {
namespace {

using nlohmann::ordered_json;

// GPUs in devices, everything else in its own units.
ordered_json units_json(Kind kind, std::int64_t units) {
  if (kind != kGpu) return units;
  return static_cast<double>(units) / static_cast<double>(kOneGpu);
}

ordered_json refusals_json(const Cluster& c, const std::vector<RefusalCount>& nodes) {
  ordered_json list = ordered_json::array();
  for (const RefusalCount& r : nodes) {
    ordered_json item{{"nodes", r.nodes}, {"rule", code_of(r.refusal.rule)}};
    if (r.refusal.kind.valid()) item["resource"] = c.kinds().name(r.refusal.kind);
    if (!r.refusal.what.empty()) item["name"] = r.refusal.what;
    if (!r.refusal.who.empty()) item["by"] = r.refusal.who;
    if (r.refusal.wanted > 0) {
      const bool is_amount = r.refusal.rule == NodeRule::kResources || r.refusal.rule == NodeRule::kZones;
      const Kind kind = is_amount ? r.refusal.kind : Kind();
      item["requested"] = units_json(kind, r.refusal.wanted);
      item["available"] = units_json(kind, std::max<std::int64_t>(r.refusal.available, 0));
    }
    list.push_back(std::move(item));
  }
  return list;
}

// The users of a scarce resource. An entry without a queue is for pods outside all queues.
ordered_json holders_json(const Cluster& c, const Holders& holders) {
  ordered_json by = ordered_json::array();
  for (const Holders::Share& share : holders.most) {
    ordered_json item{{"amount", units_json(holders.kind, share.units)}};
    if (share.queue.valid())
      item["queue"] = c.queue(share.queue).name;
    else
      item["pods"] = holders.outsiders, item["podCount"] = holders.outsider_count;
    by.push_back(std::move(item));
  }
  return {{"resource", c.kinds().name(holders.kind)},
          {"total", units_json(holders.kind, holders.total)},
          {"free", units_json(holders.kind, holders.free)},
          {"heldBy", std::move(by)},
          {"heldByOthers", units_json(holders.kind, holders.others)}};
}

// Running jobs that are not evictable, by rule, and when the first of them becomes evictable.
ordered_json spared_json(const Cluster& c, const std::vector<NotEvictableJobs>& spared) {
  ordered_json list = ordered_json::array();
  for (const NotEvictableJobs& s : spared) {
    ordered_json item{{"rule", s.rule}, {"jobs", s.jobs}, {"held", shares_json(s.held.shares())}};
    if (s.until) item["until"] = format_time(*s.until);
    if (s.first.valid()) item["first"] = c.job(s.first).full_name();
    list.push_back(std::move(item));
  }
  return list;
}

// How close the domains of a topology come, those with the most room first.
ordered_json domains_json(const Cluster& c, const std::vector<DomainShortage>& domains) {
  ordered_json list = ordered_json::array();
  for (const DomainShortage& d : domains) {
    ordered_json item{{"domain", d.domain}};
    if (d.pods >= 0) item["podsFit"] = d.pods;
    const double unit = d.kind == kGpu ? static_cast<double>(kOneGpu) : 1;
    if (d.kind.valid())
      item.update({{"resource", c.kinds().name(d.kind)},
                   {"requested", static_cast<double>(d.wanted) / unit},
                   {"free", static_cast<double>(d.free) / unit}});
    list.push_back(std::move(item));
  }
  return list;
}

bool is_about_topology(JobRule rule) {
  return rule == JobRule::kTopologyMissing || rule == JobRule::kTopologyLevel || rule == JobRule::kTopology ||
         rule == JobRule::kTopologyTooSmall;
}

void add_topology_details(const Cluster& c, const JobReason& r, ordered_json& json) {
  if (!r.domain.empty()) json["domain"] = r.domain;
  if (!is_about_topology(r.rule)) {
    if (!r.domains.empty()) json["devices"] = domains_json(c, r.domains);
    return;
  }
  json["topology"] = r.name;
  if (!r.level.empty()) json["level"] = r.level;
  if (r.domain_count > 0) json["domainCount"] = r.domain_count;
  if (!r.domains.empty()) json["domains"] = domains_json(c, r.domains);
}

bool is_about_queue(JobRule rule) {
  return rule == JobRule::kOverLimit || rule == JobRule::kOverQuota || rule == JobRule::kSharesInTheWay;
}

// Amounts in milli-cores, bytes and devices.
void add_amounts(const Cluster& c, const JobReason& r, ordered_json& json) {
  static constexpr std::array names{"cpu", "memory", "gpu"};
  const bool is_freeing = r.rule == JobRule::kTooLittleToFree;
  const bool is_queue = is_about_queue(r.rule);
  if (!is_freeing && !is_queue && !r.kind.valid()) return;
  const double unit = r.kind == kGpu ? static_cast<double>(kOneGpu) : 1;
  json["resource"] = is_freeing ? names[index(Accounted::kGpus)]
                     : is_queue ? names[index(r.resource)]
                                : c.kinds().name(r.kind);
  json["requested"] = r.wanted / unit;
  if (is_queue) json["inUse"] = r.held;
  json["bound"] = r.bound / unit;
}

// The name of the missing or obstructing object, and what refers to it.
void add_names(const JobReason& r, ordered_json& json) {
  if (is_about_topology(r.rule) || r.queue.valid() || r.rule == JobRule::kQueueMissing) return;
  if (!r.name.empty()) json["name"] = r.name;
  if (!r.of.empty()) json["of"] = r.of;
  if (r.rule == JobRule::kDeviceClaimFull) json["consumers"] = static_cast<std::int64_t>(r.held);
}

ordered_json details_json(const Cluster& c, const JobReason& r) {
  ordered_json json = ordered_json::object();
  if (r.queue.valid() || r.rule == JobRule::kQueueMissing)
    json["queue"] = r.queue.valid() ? c.queue(r.queue).name : r.name;
  add_amounts(c, r, json);
  add_names(r, json);
  if (r.task.valid()) json["pod"] = c.task(r.task).full_name();
  if (!r.pod_set.empty()) json["subGroup"] = r.pod_set;
  if (r.rule == JobRule::kSearchUnresolved)
    json["scenarios"] = r.needed;
  else if (r.needed > 0)
    json["podsPlaced"] = r.placed, json["podsNeeded"] = r.needed;
  if (r.until) json["until"] = format_time(*r.until);
  if (!r.nodes.empty()) json["nodes"] = refusals_json(c, r.nodes);
  if (r.holders != nullptr) json["holders"] = holders_json(c, *r.holders);
  if (!r.spared.empty()) json["spared"] = spared_json(c, r.spared);
  add_topology_details(c, r, json);
  return json;
}

const char* end_name(SearchEnd end) {
  switch (end) {
    case SearchEnd::kNoScenario:
      return "NoScenarioWorks";
    case SearchEnd::kProven:
      return "ProvenImpossible";
    case SearchEnd::kLikeJob:
      return "LikeJobFailed";
    case SearchEnd::kCutShort:
      return "CutShort";
  }
  return "Unknown";
}

ordered_json search_json(const Cluster& c, const SearchReport& report) {
  ordered_json json{{"action", report.action}, {"end", end_name(report.end)}};
  if (report.end == SearchEnd::kLikeJob) {
    json["like"] = c.job(report.like).full_name();
    return json;
  }
  json["candidates"] = report.candidates;
  json["spared"] = spared_json(c, report.spared);
  json["scenarios"] = report.scenarios;
  if (!report.last_failure.empty()) json["lastFailure"] = report.last_failure;
  return json;
}

}  // namespace

ordered_json shares_json(const Shares& shares) {
  return {{"cpu", shares[0]}, {"memory", shares[1]}, {"gpu", shares[2]}};
}

ordered_json reasons_json(const Cluster& c, const std::vector<JobReason>& reasons) {
  ordered_json list = ordered_json::array();
  for (const JobReason& r : reasons)
    list.push_back(
        {{"reason", code_of(r.rule)}, {"message", muster::text_of(c, r)}, {"details", details_json(c, r)}});
  return list;
}

ordered_json searches_json(const Cluster& c, const std::vector<SearchReport>& searches) {
  ordered_json list = ordered_json::array();
  for (const SearchReport& report : searches) list.push_back(search_json(c, report));
  return list;
}

}  // namespace muster::answers
