// What in the files may own pods, which pods it owns there, and which pods belong to no PodGroup.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.hpp"
#include "grouper/workload_pods.hpp"
#include "util/result.hpp"

namespace muster::cli {

// "apps" of "apps/v1"; "" of "v1".
std::string api_group_of(std::string_view api_version);

// An object of the files, with its kind and namespace where only its list or nobody named them.
class FileObject {
 public:
  explicit FileObject(const Document& document);
  // Made for another one, which stands there.
  FileObject(nlohmann::json object, Location made_for);

  // Parsed when it is first asked for.
  const nlohmann::json& json();

  std::string api_version, kind, ns, name;
  Location where;  // file, line and "Deployment default/web"

 private:
  std::string text_;
  nlohmann::json json_;
};

struct FileOwner : FileObject {
  using FileObject::FileObject;
  bool was_unknown = false;   // counted among the objects that are not used
  bool has_children = false;  // objects other than pods that it owns are in the files, too
  bool is_used = false;
  std::string why_unused = {};  // for kinds that make pods
  std::string above_path = {};  // of its fields, in the object it was made for
  std::vector<grouper::PresentPod> pods = {};
};

class FileOwners {
 public:
  explicit FileOwners(std::string scheduler_name) : scheduler_name_(std::move(scheduler_name)) {}

  void note_pod(const Document& document);
  // Of a kind that the model does not know. `was_unknown`: it was counted as not used.
  void note_other(const Document& document, bool was_unknown);
  void add(FileOwner&& made);
  // When all files are read: finds out who owns whom.
  void settle();

  std::map<std::string, FileOwner>& all() { return owners_; }
  // Pods of our scheduler that have not ended and name no PodGroup.
  std::map<std::string, FileObject>& ungrouped() { return ungrouped_; }
  // Pods of our scheduler that name a PodGroup and lack claims that are made from templates.
  std::map<std::string, FileObject>& without_claims() { return without_claims_; }
  // Null: there is none.
  FileOwner* find(const std::string& group, const std::string& kind, const std::string& ns,
                  const std::string& name);
  // Pods of other schedulers with the label that names a queue.
  std::size_t stray_pods() const { return stray_pods_; }
  // From the nearest to the top one, as far as they are in the files.
  std::vector<FileOwner*> owners_of(const nlohmann::json& pod);

 private:
  struct Reference {
    std::string api_version, kind, ns, name, uid;
    std::string job_set = {};  // that a pod's label names
  };
  struct OwnedPods {
    Reference owner;
    std::map<std::string, grouper::PresentPod> pods;
  };

  void note_owned(Json pod);
  static Reference reference_of(const nlohmann::json& object);
  FileOwner* find(const Reference& reference);
  FileOwner* find_for_pod(const Reference& reference);

  const std::string scheduler_name_;
  std::map<std::string, FileOwner> owners_;                       // "kind/namespace/name/group"
  std::map<std::string, FileObject> ungrouped_, without_claims_;  // "namespace/name"
  std::map<std::string, OwnedPods> owned_pods_;  // by their owner: "kind/namespace/name/group@uid"
  std::size_t stray_pods_ = 0;
};

}  // namespace muster::cli
