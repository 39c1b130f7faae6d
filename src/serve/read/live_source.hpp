// The live cluster as deltas: watches of the API server, decoded, seen through what we assume of our own
// writes.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <string>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/reflector.hpp"
#include "kube/waiting.hpp"
#include "model/source.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/deltas.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/read/object_changes.hpp"
#include "serve/read/object_texts.hpp"

namespace muster::serve {

class Log;

struct SourceOptions {
  std::string scheduler_name;
  bool binds_by_request = false;  // BindRequests are how our own binds look
  bool keeps_ungrouped = false;   // a pod grouper will say later to which group pods belong
  bool keeps_texts = false;       // somebody may ask for a snapshot
};

struct BindRequestName {
  std::string ns, name, uid;
};

// Somebody else decided about a pod of ours.
struct RivalAct {
  std::string ns, name, uid, node;
  const char* what;  // continues "another scheduler …"
};

// Told what the watch brings, for whoever looks at more than the model does. Calls come from within
// transfers: they must not wait.
class SourceListener {
 public:
  virtual ~SourceListener() = default;
  // Something waits for LiveSource::update().
  virtual void news() {}
  // Objects as they came, valid during the call only.
  virtual void pod(const Json&) {}
  virtual void pod_gone(const std::string& /*ns*/, const std::string& /*name*/) {}
  virtual void pod_group(const Json&) {}
  virtual void pod_group_gone(const std::string& /*ns*/, const std::string& /*name*/) {}
  // A BindRequest that will not come true, because its binder says so or its node is gone; from within
  // update().
  virtual void failed_bind_request(const BindRequestName&) {}
  virtual void stranded_bind_request(const BindRequestName&) {}
  // From within update().
  virtual void rival_acted(const RivalAct&) {}
};

class LiveSource final : public ClusterSource, public Knowledge {
 public:
  LiveSource(kube::ApiClient& client, Assumptions& assumptions, Log& log, SourceListener& listener,
             SourceOptions options);
  ~LiveSource() override;

  void start();
  // Everything that was told since the last call. Not while a cycle runs on the cluster.
  void update(Cluster& cluster, TimePoint now) override;
  // Something was told, since the last cycle began, that may change a decision.
  bool calls_for_cycle() const { return is_relevant_; }
  void cycle_begins() { is_relevant_ = false; }
  // When the watch last showed a new pod that waits for a place.
  kube::Clock::time_point last_arrival() const { return last_arrival_; }
  // How many came until then, none later than this after the one before it.
  static constexpr auto kInARow = std::chrono::milliseconds(100);
  int arrivals_in_a_row() const { return in_a_row_; }
  // Some came lately, but not after that, whose PodGroups somebody else is about to make.
  bool awaits_groups(kube::Clock::time_point until) const;

  // What changed since this was last asked; asked for by those who lead.
  ObjectChanges take_changes() { return std::exchange(changes_, {}); }
  const ReadWarnings& read_warnings() const { return warnings_; }

  // The objects as they came, as far as they are kept: after update() those that the model was made from.
  std::vector<ObjectText> texts() const { return texts_.all(); }
  // uids of pods that wait for a group.
  template <class Use>
  void each_ungrouped(Use use) const {
    for (const auto& [uid, pod] : ungrouped_) use(uid);
  }

  // Pods that are still there and whose bind we gave up.
  std::size_t given_up() const { return tried_.size(); }

  bool is_synced() const;
  void list_again(bool tell_all = false);
  const kube::Reflector& reflector(std::string_view kind) const;
  std::int64_t unusable_objects() const { return unusable_; }
  // The kind that was silent for longest, and since when.
  std::pair<const std::string*, kube::Clock::time_point> most_silent() const;

  bool knows(const kube::Resource& kind, std::string_view ns, std::string_view name) const override;
  bool knows_any(const kube::Resource& kind) const override;
  const kube::Resource& served(const kube::Resource& kind) const override;
  std::string version_of(const kube::Resource& kind, const std::string& ns,
                         const std::string& name) const override;
  std::optional<kube::Clock::duration> time_since_seen(const std::string& uid) const override;
  const std::pair<std::string, std::string>* group_of(const std::string& uid) const override;
  void saw(const kube::Resource& kind, std::string_view object) override;
  void saw_unchanged(const kube::Resource& kind, std::string_view object) override;
  void assume(const kube::Resource& kind, const std::string& object) override;
  void retract(const kube::Resource& kind, const std::string& ns, const std::string& name) override;
  void join(const std::string& uid, const std::string& group, const std::string& sub_group) override;
  void end_bind(const std::string& ns, const std::string& name, const std::string& uid) override;
  void end_eviction(const std::string& ns, const std::string& name, const std::string& uid) override;
  void end_annotations(const std::string& ns, const std::string& name) override;

 private:
  class Watched;
  struct Applying;

  void tell(Delta delta);
  Watched& watched(std::string_view kind) const;
  void take(Json object, const kube::Resource& resource);
  void note_seen(const PodObject& pod);
  void forget_seen(const std::string& uid);
  void note_arrival();
  void note_warnings(Json object, const kube::Resource& resource, const std::vector<Error>& warnings);
  void look_for_stranded_requests(const Cluster& cluster);
  void apply(Cluster& cluster, Delta& delta);
  void catch_up();

  kube::ApiClient& client_;
  Assumptions& assumptions_;
  Log& log_;
  SourceListener& listener_;
  const SourceOptions options_;
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<Delta> deltas_;
  const std::unique_ptr<simdjson::dom::parser> parser_;
  absl::flat_hash_map<std::string, PodObject> ungrouped_;              // by uid
  absl::flat_hash_map<std::string, std::int64_t> generations_;         // of PodGroups, "ns/name"
  absl::flat_hash_map<std::string, kube::Clock::time_point> seen_;     // unbound pods, by uid
  absl::flat_hash_map<std::string, kube::Clock::time_point> unnamed_;  // those for whom others name a group
  kube::Clock::time_point last_named_{};
  ObjectTexts texts_;
  ObjectChanges changes_;
  ReadWarnings warnings_;
  struct Request {
    BindRequestName name;
    std::string node;
  };
  absl::flat_hash_map<std::string, Request> requests_;  // BindRequests, "ns/name"
  bool may_be_stranded_ = false;                        // some of them, since we last looked
  absl::flat_hash_set<std::string> tried_;              // uids of pods whose bind we gave up
  kube::Clock::time_point last_arrival_{};              // of a pod that waits for us
  int in_a_row_ = 0;
  bool is_relevant_ = false;
  std::int64_t unusable_ = 0;
  bool is_behind_ = false;  // a change could not be applied
  kube::Clock::time_point may_catch_up_{};
  kube::Backoff between_catching_up_{std::chrono::minutes(1), std::chrono::hours(1)};
};

}  // namespace muster::serve
