// Creates the missing pods of workloads, and PodGroups for pods without one, for clusters in files. In a live
// cluster, controllers and the pod grouper do this.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/file_owners.hpp"
#include "manifest/manifest.hpp"

namespace muster {
class Cluster;
}

namespace muster::loader {

class ObjectPlaces;
struct Inputs;

class Workloads {
 public:
  // Created objects are passed to `take`.
  Workloads(Inputs& inputs, ObjectPlaces& places, const DecodeOptions& options, ObjectSink take);

  // Call for every document after it was decoded.
  void note(const Document& document);
  // Creates pods, PodGroups and what they need. Call after the last document.
  void finish();

 private:
  using json = nlohmann::json;
  // The source of a created object, for messages: the workload, and the field that describes the object.
  struct Origin {
    Location where;
    std::string path;
  };
  struct PlannedGroup {
    json object;
    Origin origin;
    std::string start;  // start time of its first running pod
  };

  // Creates the Jobs of the next runs of CronJobs.
  void make_cron_job_runs();
  void pass_on_workloads();
  void make_pods(FileOwner& workload);
  void make_pods(FileOwner& workload, std::vector<grouper::MadePod>&& pods);
  void group(FileObject& pod);
  // Adds the missing claims of a pod that has a group.
  void add_missing_claims(FileObject& pod);
  // Creates the claims that the pod lacks.
  void add_claims(json& pod, const Origin& origin);
  // Writes the name of the PodGroup into the pod. Returns false if the pod gets no PodGroup.
  bool join_group(json& pod, const std::vector<FileOwner*>& owners, const Origin& origin);
  // Returns the name of the PodGroup, or "" if the pod gets none.
  std::string plan(const json& pod, const std::vector<FileOwner*>& owners, const Origin& origin,
                   std::string& sub_group);
  json related_to(const json& pod, const std::vector<json>& owners);
  std::string plan_new(const json& pod, const std::vector<json>& owners, const Origin& origin,
                       std::string& sub_group);
  void apply_groups();
  void add_default_queues();
  void add_priority_classes();
  void add_note(std::size_t count, std::string_view noun, std::string_view text);
  std::map<std::pair<std::string, std::string>, std::size_t> unused_workloads();
  void note_created_objects();
  void note_ignored_objects();
  bool exists(const json& pod_group) const;
  bool has_priority_class(const std::string& name) const;
  // Returns false if the object could not be decoded. Findings get the location of the origin.
  bool apply(const json& object, const Origin& origin, Findings* findings);

  Inputs& inputs_;
  ObjectPlaces& places_;
  const DecodeOptions& options_;
  const ObjectSink take_;
  FileOwners owners_;
  std::map<std::string, std::int64_t> unknown_seen_;        // last seen counts of findings.unknown_kinds
  std::map<std::string, PlannedGroup> groups_;              // "namespace/name"
  std::map<const FileOwner*, std::string> group_of_owner_;  // pods of one owner share their group
  std::set<std::string> warned_;
  std::size_t made_pods_ = 0, made_runs_ = 0, made_claims_ = 0, ownerless_ = 0, skipped_ = 0,
              without_volumes_ = 0;
};

}  // namespace muster::loader
