// Does for the files what controllers and the pod grouper do in a cluster: workloads get the pods that they
// lack, and pods without a PodGroup get one.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input/file_owners.hpp"
#include "manifest/manifest.hpp"

namespace muster {
class Cluster;
}

namespace muster::cli {

class ObjectPlaces;
struct Inputs;

// The object as the grouper makes names of it: one without a uid gets one that tells it from others.
nlohmann::json with_uid(nlohmann::json object);
// Pods without a class get the cluster's default one when they are created.
void set_default_priority_class(nlohmann::json& pod, const Cluster& cluster);
// A StatefulSet whose pods come in order.
bool makes_one_by_one(const nlohmann::json& workload);

class Workloads {
 public:
  // Objects that are made go to `take`.
  Workloads(Inputs& inputs, ObjectPlaces& places, const DecodeOptions& options, ObjectSink take);

  // Every document, after it was decoded.
  void note(const Document& document);
  // After the last one: makes pods, PodGroups and what they need.
  void finish();

 private:
  using json = nlohmann::json;
  // Where what is made comes from, for messages: the workload, and the field that describes it.
  struct Origin {
    Location where;
    std::string path;
  };
  struct PlannedGroup {
    json object;
    Origin origin;
    std::string start;  // of its first pod that runs
  };

  // The Job of a CronJob's next run.
  void make_runs();
  void hand_on();
  void make_pods(FileOwner& workload);
  void make_pods(FileOwner& workload, std::vector<grouper::MadePod>&& pods);
  void group(FileObject& pod);
  // One that has a group and lacks claims.
  void complete(FileObject& pod);
  // Makes the claims that the pod lacks.
  void add_claims(json& pod, const Origin& origin);
  // Names the PodGroup in the pod; false where it stays without.
  bool join_group(json& pod, const std::vector<FileOwner*>& owners, const Origin& origin);
  // The name of the PodGroup, "" where there is none.
  std::string plan(const json& pod, const std::vector<FileOwner*>& owners, const Origin& origin,
                   std::string& sub_group);
  json related_to(const json& pod, const std::vector<json>& owners);
  std::string plan_new(const json& pod, const std::vector<json>& owners, const Origin& origin,
                       std::string& sub_group);
  void apply_groups();
  void add_default_queues();
  void add_priority_classes();
  void tell(std::size_t count, std::string_view noun, std::string_view text);
  std::map<std::pair<std::string, std::string>, std::size_t> unused_workloads();
  void tell_what_was_made();
  void tell_what_is_left_out();
  bool exists(const json& pod_group) const;
  bool has_priority_class(const std::string& name) const;
  // False where it could not be decoded. Findings are told as those of the origin.
  bool apply(const json& object, const Origin& origin, Findings* findings);

  Inputs& inputs_;
  ObjectPlaces& places_;
  const DecodeOptions& options_;
  const ObjectSink take_;
  FileOwners owners_;
  std::map<std::string, std::int64_t> unknown_seen_;        // of findings.unknown_kinds
  std::map<std::string, PlannedGroup> groups_;              // "namespace/name"
  std::map<const FileOwner*, std::string> group_of_owner_;  // pods of one owner share their group
  std::set<std::string> warned_;
  std::size_t made_pods_ = 0, made_runs_ = 0, made_claims_ = 0, ownerless_ = 0, skipped_ = 0,
              without_volumes_ = 0;
};

}  // namespace muster::cli
