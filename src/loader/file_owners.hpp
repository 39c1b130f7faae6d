// Finds the objects in the files that may own pods, the pods they own, and the pods without a PodGroup.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.hpp"
#include "grouper/workload_pods.hpp"
#include "model/cluster.hpp"
#include "util/result.hpp"

namespace muster::loader {

// An object from the files. Its kind may come from the list around it, its namespace may be the default.
class FileObject {
 public:
  explicit FileObject(const Document& document);
  // An object created for another object, whose location it gets.
  FileObject(nlohmann::json object, Location made_for);

  // Parses the text on the first call.
  const nlohmann::json& json();

  std::string api_version, kind, ns, name;
  Location where;  // file, line and "Deployment default/web"

 private:
  std::string text_;
  nlohmann::json json_;
};

struct FileOwner : FileObject {
  using FileObject::FileObject;
  bool was_unknown = false;   // it was counted among the objects that are not used
  bool has_children = false;  // the files also contain objects other than pods that it owns
  bool is_used = false;
  std::string why_unused = {};  // only for kinds that create pods
  std::string above_path = {};  // prefix of its field paths, if it was created for another object
  std::vector<grouper::PresentPod> pods = {};
};

class FileOwners {
 public:
  explicit FileOwners(ClusterOptions options) : options_(std::move(options)) {}

  void note_pod(const Document& document);
  // Notes an object of a kind that the model does not know. `was_unknown`: it was counted as not used.
  void note_other(const Document& document, bool was_unknown);
  void add(FileOwner&& made);
  // Resolves owner references. Call once all files are read.
  void resolve_references();

  std::map<std::string, FileOwner>& all() { return owners_; }
  // Pods of our scheduler that have not ended and name no PodGroup, except GPU reservations.
  std::map<std::string, FileObject>& ungrouped() { return ungrouped_; }
  // Pods of our scheduler that name a PodGroup but lack claims that must be created from templates.
  std::map<std::string, FileObject>& without_claims() { return without_claims_; }
  // Returns null if there is no such object.
  FileOwner* find(const std::string& group, const std::string& kind, const std::string& ns,
                  const std::string& name);
  // Number of pods of other schedulers that have the queue label.
  std::size_t stray_pods() const { return stray_pods_; }
  // The owners of the pod from the nearest to the topmost one, as far as they are in the files.
  std::vector<FileOwner*> owners_of(const nlohmann::json& pod);

 private:
  struct Reference {
    std::string api_version, kind, ns, name, uid;
    std::string job_set = {};  // named by a label of the pod
  };
  struct OwnedPods {
    Reference owner;
    std::map<std::string, grouper::PresentPod> pods;
  };

  void note_owned(Json pod);
  static Reference reference_of(const nlohmann::json& object);
  FileOwner* find(const Reference& reference);
  FileOwner* find_for_pod(const Reference& reference);

  bool is_ours(Json pod) const;

  const ClusterOptions options_;
  std::map<std::string, FileOwner> owners_;                       // "kind/namespace/name/group"
  std::map<std::string, FileObject> ungrouped_, without_claims_;  // "namespace/name"
  std::map<std::string, OwnedPods> owned_pods_;  // by their owner: "kind/namespace/name/group@uid"
  std::size_t stray_pods_ = 0;
};

}  // namespace muster::loader
