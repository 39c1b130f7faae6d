// The live cluster as a source of changes: objects from watches of the API server are decoded, corrected by
// the assumptions about this scheduler's own writes, and applied to the model.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <string>
#include <vector>

#include "document/json_fwd.hpp"
#include "kube/reflector.hpp"
#include "kube/waiting.hpp"
#include "serve/read/assumptions.hpp"
#include "serve/read/deltas.hpp"
#include "serve/read/object_changes.hpp"
#include "serve/read/object_texts.hpp"
#include "serve/read/observed_state.hpp"

namespace muster::serve {

class Log;

struct SourceOptions {
  std::string scheduler_name;
  bool binds_by_request = false;  // our own binds are BindRequests
  bool keeps_ungrouped = false;   // keep pods without a PodGroup until the pod grouper assigns one
  bool keeps_texts = false;       // keep the texts of objects for snapshots
};

struct BindRequestName {
  std::string ns, name, uid;
};

// A decision of another scheduler about a pod of this scheduler.
struct RivalDecision {
  std::string ns, name, uid, node;
  const char* what;  // continues "another scheduler …"
};

// Receives what the watch reports, for code that needs more than the model has. Called during transfers: a
// call must not block.
class SourceListener {
 public:
  virtual ~SourceListener() = default;
  // Changes are waiting for LiveSource::update().
  virtual void news() {}
  // Objects as received, valid only during the call.
  virtual void pod(const Json&) {}
  virtual void pod_gone(const std::string& /*ns*/, const std::string& /*name*/) {}
  virtual void pod_group(const Json&) {}
  virtual void pod_group_gone(const std::string& /*ns*/, const std::string& /*name*/) {}
  // A BindRequest will not be carried out: its binder failed, or its node is gone. Called from update().
  virtual void failed_bind_request(const BindRequestName&) {}
  virtual void stranded_bind_request(const BindRequestName&) {}
  // Called from update().
  virtual void rival_decided(const RivalDecision&) {}
};

class LiveSource final : public ObservedState {
 public:
  LiveSource(kube::ApiClient& client, Assumptions& assumptions, Log& log, SourceListener& listener,
             SourceOptions options);
  ~LiveSource() override;

  void start();
  // Applies all changes since the last call. REQUIRES: no cycle is running on the cluster.
  void update(Cluster& cluster, TimePoint now);
  // True if a change since the beginning of the last cycle may affect a decision.
  bool calls_for_cycle() const { return is_relevant_; }
  void cycle_begins() { is_relevant_ = false; }
  // The time at which the watch last showed a new pending pod.
  kube::Clock::time_point last_arrival() const { return last_arrival_; }
  // The number of pods that arrived up to then in one burst: each at most kBurstGap after the one before.
  static constexpr auto kBurstGap = std::chrono::milliseconds(100);
  int burst_size() const { return in_a_row_; }
  // True if there are pods that arrived recently, but not after `until`, and for which another client is
  // about to create a PodGroup.
  bool awaits_groups(kube::Clock::time_point until) const;

  // The changes since the last call; only leaders call this.
  ObjectChanges take_changes() { return std::exchange(changes_, {}); }
  const ReadWarnings& read_warnings() const { return warnings_; }

  // The kept objects as received; after update(), those that the model was made from.
  std::vector<ObjectText> texts() const { return texts_.all(); }
  // Calls `use` with the uids of pods that wait for a PodGroup.
  template <class Use>
  void each_ungrouped(Use use) const {
    for (const auto& [uid, pod] : ungrouped_) use(uid);
  }

  // The number of existing pods whose bind was given up.
  std::size_t abandoned_binds() const { return abandoned_.size(); }

  bool is_synced() const;
  void list_again(bool tell_all = false);
  const kube::Reflector& reflector(std::string_view kind) const;
  std::int64_t unusable_objects() const { return unusable_; }
  // The kind whose watch has been silent for the longest time, and since when.
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

  void enqueue(Delta delta);
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
  absl::flat_hash_map<std::string, PodObject> ungrouped_;           // by uid
  absl::flat_hash_map<std::string, std::int64_t> generations_;      // of PodGroups, "ns/name"
  absl::flat_hash_map<std::string, kube::Clock::time_point> seen_;  // unbound pods, by uid
  absl::flat_hash_map<std::string, kube::Clock::time_point>
      unnamed_;  // pods that another client assigns to a PodGroup
  kube::Clock::time_point last_named_{};
  ObjectTexts texts_;
  ObjectChanges changes_;
  ReadWarnings warnings_;
  struct Request {
    BindRequestName name;
    std::string node;
  };
  absl::flat_hash_map<std::string, Request> requests_;  // BindRequests, "ns/name"
  bool may_be_stranded_ = false;                        // since the last check
  absl::flat_hash_set<std::string> abandoned_;          // uids of pods whose bind was given up
  kube::Clock::time_point last_arrival_{};              // of a pending pod of this scheduler
  int in_a_row_ = 0;
  bool is_relevant_ = false;
  std::int64_t unusable_ = 0;
  bool is_behind_ = false;  // a change could not be applied
  kube::Clock::time_point may_catch_up_{};
  kube::Backoff between_catching_up_{std::chrono::minutes(1), std::chrono::hours(1)};
};

}  // namespace muster::serve
