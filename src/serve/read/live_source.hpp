// The live cluster as deltas: watches of the API server, decoded, seen through what we assume of our own
// writes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kube/reflector.hpp"
#include "model/source.hpp"
#include "serve/health/log.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/deltas.hpp"

namespace muster::serve {

struct SourceOptions {
  std::string scheduler_name;
  bool binds_by_request = false;  // BindRequests are how our own binds look
  bool keeps_ungrouped = false;   // a pod grouper will say later to which group pods belong
};

class LiveSource final : public ClusterSource {
 public:
  LiveSource(kube::ApiClient& client, Assumptions& assumptions, Log& log, SourceOptions options);
  ~LiveSource() override;

  void start();
  // Everything that was told since the last call. Not while a cycle runs on the cluster.
  void update(Cluster& cluster, TimePoint now) override;
  // Something waits for update().
  bool has_news() const { return !deltas_.empty(); }
  // Something was told, since this was last asked, that may change a decision.
  bool take_relevance() { return std::exchange(is_relevant_, false); }
  void tell(Delta delta);
  // An object that we are about to write, as it will look: the model need not wait for it.
  void assume(const kube::Resource& resource, const std::string& text);
  std::function<void()> on_news;
  // A pod of ours as it came, for whoever looks at more than the model does; called from within transfers.
  std::function<void(Json)> on_pod;
  // Likewise each PodGroup.
  std::function<void(Json)> on_pod_group;
  std::function<void(const std::string&ns, const std::string&name)> on_pod_gone, on_pod_group_gone;
  // A BindRequest that will not come true.
  std::function<void(const std::string& ns, const std::string& name)> on_failed_bind_request;

  // How long ago the watch first showed the pod; nothing if it came with a list.
  std::optional<kube::Clock::duration> time_since_seen(const std::string& uid) const;

  bool is_synced() const;
  // Names of kinds that have not been listed yet.
  std::string missing() const;
  void list_again(bool tell_all = false);
  kube::Reflector& pods() { return reflector("Pod"); }
  kube::Reflector& pod_groups() { return reflector("PodGroup"); }
  kube::Reflector& reflector(std::string_view kind);
  std::int64_t lists() const;
  std::int64_t unusable_objects() const { return unusable_; }
  kube::Clock::time_point last_contact() const;

 private:
  class Watched;
  struct Applying;

  void decode(Json object, const kube::Resource& resource);
  void note_seen(const PodObject& pod);

  kube::ApiClient& client_;
  Assumptions& assumptions_;
  Log& log_;
  const SourceOptions options_;
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<Delta> deltas_;
  simdjson::dom::parser parser_;
  absl::flat_hash_map<std::string, PodObject> ungrouped_;           // by uid
  absl::flat_hash_map<std::string, std::int64_t> generations_;      // of PodGroups, "ns/name"
  absl::flat_hash_map<std::string, kube::Clock::time_point> seen_;  // unbound pods, by uid
  bool is_relevant_ = false;
  std::int64_t unusable_ = 0;
};

}  // namespace muster::serve
