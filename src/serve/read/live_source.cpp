// Watches all kinds, decodes their objects into deltas, and applies these to the model.
#include "serve/read/live_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kube/json.hpp"
#include "kube/resource.hpp"
#include "serve/health/log.hpp"
#include "serve/read/decode.hpp"

namespace muster::serve {
namespace {

using kube::Resource;

constexpr std::size_t kMostChanges = 100'000;

bool is_usable_alike(const Node& a, const Node& b) {
  return a.present == b.present && a.usable() == b.usable() && a.labels == b.labels && a.taints == b.taints &&
         a.allocatable == b.allocatable;
}

std::vector<std::string> older_versions(const ObjectKind& kind) {
  std::vector<std::string> versions(kind.older_versions.begin(), kind.older_versions.end());
  std::erase(versions, "");
  return versions;
}

// A pod that reaches the node where it was placed changes no decision.
bool is_expected(TaskStatus before, TaskStatus after) {
  constexpr StatusSet kOnItsWay =
      status_set({TaskStatus::kBinding, TaskStatus::kBound, TaskStatus::kRunning});
  return before == after || (in(before, kOnItsWay) && in(after, kOnItsWay));
}

// True if another scheduler bound the pod: before this one did, or to a different node.
bool was_moved_by_others(TaskStatus before, NodeId expected, const Placement& after) {
  constexpr StatusSet kThere = status_set({TaskStatus::kBound, TaskStatus::kRunning});
  if (!in(after.status, kThere)) return false;
  return before == TaskStatus::kPending || (before == TaskStatus::kBinding && expected != after.node);
}

}  // namespace

class LiveSource::Watched final : public kube::ReflectorListener {
 public:
  Watched(LiveSource& source, const ObjectKind& kind)
      : reflector(source.client_,
                  {.resource = kube::resource_of(kind),
                   .field_selector = std::string(kind.field_selector),
                   .is_optional = kind.watch == Watch::kOptional,
                   .metadata_only = kind.metadata_only,
                   .older_versions = older_versions(kind)},
                  *this),
        source_(source) {}

  void changed(Json object) override {
    const std::string& kind = reflector.resource().kind;
    if (kind == "Pod") source_.listener_.pod(object);
    if (kind == "PodGroup") source_.listener_.pod_group(object);
    source_.take(object, reflector.resource());
  }
  void gone(const std::string& ns, const std::string& name) override {
    const std::string& kind = reflector.resource().kind;
    if (kind == "Pod") source_.listener_.pod_gone(ns, name);
    if (kind == "PodGroup") source_.listener_.pod_group_gone(ns, name);
    source_.enqueue(Gone{kind, ns, name});
  }
  void listed() override {
    source_.log_.debug(
        "listed", {{"kind", reflector.resource().plural}, {"objects", std::to_string(reflector.size())}});
    source_.listener_.news();
  }
  void troubled(const std::string& text) override { source_.log_.repeated_warning(text); }

  kube::Reflector reflector;

 private:
  LiveSource& source_;
};

LiveSource::LiveSource(kube::ApiClient& client, Assumptions& assumptions, Log& log, SourceListener& listener,
                       SourceOptions options)
    : client_(client),
      assumptions_(assumptions),
      log_(log),
      listener_(listener),
      options_(std::move(options)),
      parser_(std::make_unique<simdjson::dom::parser>()) {
  for (const ObjectKind& kind : object_kinds())
    if (kind.watch != Watch::kNever) watched_.push_back(std::make_unique<Watched>(*this, kind));
}

LiveSource::~LiveSource() = default;

void LiveSource::start() {
  for (const auto& watched : watched_)
    kube::spawn(watched->reflector.run(), "watching " + watched->reflector.resource().plural,
                kube::TaskKind::kEssential);
}

LiveSource::Watched& LiveSource::watched(std::string_view kind) const {
  const auto found = std::ranges::find_if(
      watched_, [&](const auto& watched) { return watched->reflector.resource().kind == kind; });
  assert(found != watched_.end() && "the kind must be watched");
  return **found;
}

const kube::Reflector& LiveSource::reflector(std::string_view kind) const { return watched(kind).reflector; }

bool LiveSource::is_synced() const {
  return std::ranges::all_of(watched_, [](const auto& watched) { return watched->reflector.is_synced(); });
}

void LiveSource::list_again(bool tell_all) {
  for (const auto& watched : watched_) watched->reflector.refresh(tell_all);
}

std::pair<const std::string*, kube::Clock::time_point> LiveSource::most_silent() const {
  std::pair<const std::string*, kube::Clock::time_point> silent{nullptr, kube::Clock::now()};
  for (const auto& watched : watched_) {
    const kube::Reflector& reflector = watched->reflector;
    if (!reflector.is_absent() && reflector.last_contact() < silent.second)
      silent = {&reflector.resource().plural, reflector.last_contact()};
  }
  return silent;
}

// ---------------------------------------------------------------- Knowledge

bool LiveSource::knows(const Resource& kind, std::string_view ns, std::string_view name) const {
  return reflector(kind.kind).knows(ns, name);
}

bool LiveSource::knows_any(const Resource& kind) const { return reflector(kind.kind).size() > 0; }

const Resource& LiveSource::served(const Resource& kind) const { return reflector(kind.kind).resource(); }

std::string LiveSource::version_of(const Resource& kind, const std::string& ns,
                                   const std::string& name) const {
  const std::uint64_t version = reflector(kind.kind).version_of(ns + "/" + name);
  return version == 0 ? "" : std::to_string(version);
}

std::optional<kube::Clock::duration> LiveSource::time_since_seen(const std::string& uid) const {
  const auto seen = seen_.find(uid);
  if (seen == seen_.end()) return std::nullopt;
  return kube::Clock::now() - seen->second;
}

const std::pair<std::string, std::string>* LiveSource::group_of(const std::string& uid) const {
  return assumptions_.group_of(uid);
}

void LiveSource::saw(const Resource& kind, std::string_view object) {
  watched(kind.kind).reflector.saw(object);
}

void LiveSource::saw_unchanged(const Resource& kind, std::string_view object) {
  watched(kind.kind).reflector.saw(object, kube::Tell::kEvenIfKnown);
}

void LiveSource::retract(const Resource& kind, const std::string& ns, const std::string& name) {
  enqueue(Gone{kind.kind, ns, name});
}

void LiveSource::join(const std::string& uid, const std::string& group, const std::string& sub_group) {
  enqueue(Membership{uid, group, sub_group});
}

void LiveSource::end_bind(const std::string& ns, const std::string& name, const std::string& uid) {
  enqueue(BindEnded{ns, name, uid});
}

void LiveSource::end_eviction(const std::string& ns, const std::string& name, const std::string& uid) {
  enqueue(EvictionEnded{ns, name, uid});
}

void LiveSource::end_annotations(const std::string& ns, const std::string& name) {
  enqueue(PatchEnded{ns, name});
}

void LiveSource::assume(const Resource& kind, const std::string& object) {
  Json parsed;
  const bool is_parsed = parser_->parse(object).get(parsed) == simdjson::SUCCESS;
  assert(is_parsed && "our own objects must be JSON");
  if (is_parsed) take(parsed, kind);
}

// ---------------------------------------------------------------- from the watch

void LiveSource::enqueue(Delta delta) {
  if (const auto* gone = std::get_if<Gone>(&delta)) texts_.erase(gone->kind, gone->ns, gone->name);
  deltas_.push_back(std::move(delta));
  listener_.news();
}

// An object that cannot be used is left out; it does not affect others.
void LiveSource::take(Json object, const Resource& resource) {
  const Findings findings = decode(object, resource, [&](Object&& decoded) {
    if (const auto* pod = std::get_if<PodObject>(&decoded); pod != nullptr && is_synced()) note_seen(*pod);
    deltas_.emplace_back(std::move(decoded));
  });
  for (const Error& error : findings.errors) log_.repeated_warning("object ignored: " + error.text());
  for (const Error& warning : findings.warnings) log_.repeated_warning(warning.text());
  note_warnings(object, resource, findings.warnings);
  if (options_.keeps_texts && findings.errors.empty()) texts_.put(resource, object);
  unusable_ += findings.errors.empty() ? 0 : 1;
  if (resource.kind == "PodGroup" && findings.errors.empty()) {
    const auto metadata = kube::part_at(object, "metadata");
    const std::string key = kube::key_of(*metadata);
    const std::int64_t generation = kube::number_at(*metadata, "generation").value_or(0);
    is_relevant_ |= std::exchange(generations_[key], generation) != generation;
  }
  listener_.news();
}

// Returns early in the usual case: hardly any object has warnings.
void LiveSource::note_warnings(Json object, const Resource& resource, const std::vector<Error>& warnings) {
  if (warnings.empty() && warnings_.empty()) return;
  const auto metadata = kube::part_at(object, "metadata");
  if (!metadata) return;
  const std::string key =
      muster::key_of(kube::text_at(*metadata, "namespace"), kube::text_at(*metadata, "name"));
  const std::string name = resource.kind + " " + key;
  const bool had_some = warnings_.forget(name);
  for (const Error& warning : warnings) warnings_.add(name, warning.where.path, warning.message);
  if (resource.kind == "Pod" && (had_some || !warnings.empty())) changes_.pods.insert(key);
}

void LiveSource::note_seen(const PodObject& pod) {
  if (!pod.node.empty()) return forget_seen(pod.meta.uid);
  if (pod.scheduler != options_.scheduler_name) return;
  const auto now = kube::Clock::now();
  const bool is_new = seen_.try_emplace(pod.meta.uid, now).second;
  const bool is_named = !pod.pod_group.empty() && unnamed_.erase(pod.meta.uid) > 0;
  if (is_new && pod.pod_group.empty() && !options_.keeps_ungrouped) unnamed_[pod.meta.uid] = now;
  if (is_new || is_named) note_arrival();
  if (is_named) last_named_ = now;
}

void LiveSource::forget_seen(const std::string& uid) {
  seen_.erase(uid);
  unnamed_.erase(uid);
}

bool LiveSource::awaits_groups(kube::Clock::time_point until) const {
  constexpr auto kUntilTheFirst = std::chrono::seconds(2);  // afterwards no group is expected
  constexpr auto kUntilTheNext = std::chrono::milliseconds(500),
                 kUntilTheLast = std::chrono::milliseconds(10'000);
  const auto now = kube::Clock::now();
  const auto since = now - (now < last_named_ + kUntilTheNext ? kUntilTheLast : kUntilTheFirst);
  return std::ranges::any_of(unnamed_,
                             [&](const auto& pod) { return pod.second > since && pod.second <= until; });
}

void LiveSource::note_arrival() {
  const auto now = kube::Clock::now();
  in_a_row_ = now - last_arrival_ <= kBurstGap ? std::min(in_a_row_ + 1, 1000) : 1;
  last_arrival_ = now;
}

// ---------------------------------------------------------------- to the model

struct LiveSource::Applying {
  LiveSource& source;
  Cluster& cluster;

  void operator()(Object& object) const { std::visit(*this, object); }
  void operator()(PodObject& pod) const {
    source.assumptions_.correct(pod);
    if (source.options_.keeps_ungrouped && pod.pod_group.empty() &&
        pod.scheduler == source.options_.scheduler_name)
      source.ungrouped_[pod.meta.uid] = pod;
    else
      source.ungrouped_.erase(pod.meta.uid);
    const TaskId known = cluster.find_task(pod.meta.ns, pod.meta.name);
    const bool was_same = known.valid() && cluster.task(known).uid == pod.meta.uid;
    const TaskStatus before = was_same ? cluster.placement(known).status : TaskStatus::kGone;
    const bool had_job = was_same && cluster.task(known).job.valid();
    const bool is_ours = pod.scheduler == source.options_.scheduler_name && was_same && had_job;
    const NodeId expected = was_same ? cluster.placement(known).node : NodeId();
    const TaskId task = cluster.apply(std::move(pod));
    source.assumptions_.settle_bind(cluster, task);
    if (is_ours && was_moved_by_others(before, expected, cluster.placement(task)))
      report_rival(cluster, task, cluster.placement(task).node, "bound the pod");
    const bool has_job = cluster.task(task).job.valid();
    const TaskStatus after = cluster.placement(task).status;
    const bool waits_for_group = after == TaskStatus::kPending && !has_job;
    source.is_relevant_ |= !waits_for_group && (!is_expected(before, after) || had_job != has_job);
    if (const NodeId node = cluster.placement(task).node; node.valid())
      source.changes_.nodes.insert(cluster.node(node).name);
  }
  void operator()(PodGroupObject& group) const {
    source.assumptions_.correct(group);
    source.changes_.jobs.insert(muster::key_of(group.meta.ns, group.meta.name));
    cluster.apply(std::move(group));
  }
  void operator()(NodeObject& node) const {
    source.changes_.nodes.insert(node.meta.name);
    const NodeId known = cluster.find_node(node.meta.name);
    const Node before = known.valid() ? cluster.node(known) : Node{};
    const NodeId id = cluster.apply(std::move(node));
    source.is_relevant_ |= !is_usable_alike(before, cluster.node(id));
  }
  void operator()(BindRequestObject& request) const {
    const bool is_assumed = source.assumptions_.binds(request.meta.ns, request.pod, request.pod_uid);
    if (is_assumed && !source.options_.binds_by_request) return;
    if (is_assumed) source.assumptions_.confirm_bind(request.meta.ns, request.pod);
    const BindRequestName name{request.meta.ns, request.meta.name, request.meta.uid};
    LiveSource::Request& kept = source.requests_[name.ns + "/" + name.name];
    const bool is_of_others = !is_assumed && kept.name.uid != name.uid;
    kept = {name, request.node};
    source.may_be_stranded_ = true;
    if (const TaskId pod = cluster.find_task(name.ns, request.pod); is_of_others && pod.valid())
      report_rival(cluster, pod, cluster.find_node(request.node), "created a BindRequest for the pod");
    if (request.failed) source.listener_.failed_bind_request(name);
    // Its binder may retry until the BindRequest is deleted, so its resources stay in use until then.
    request.failed &= !source.options_.binds_by_request;
    cluster.apply(std::move(request));
    source.is_relevant_ = true;
  }
  // Reports a decision of another scheduler. Pods that we tried to bind are excluded: that bind may have
  // succeeded although its answer said otherwise.
  void report_rival(const Cluster& on, TaskId pod, NodeId node, const char* what) const {
    const Task& task = on.task(pod);
    const bool is_ours = task.job.valid() && on.job(task.job).present && on.job(task.job).in_partition;
    if (is_ours && source.is_synced() && !source.abandoned_.contains(task.uid))
      source.listener_.rival_decided(
          {task.ns, task.name, task.uid, node.valid() ? on.node(node).name : std::string(), what});
  }
  void operator()(ConfigMapObject& map) const { cluster.apply(std::move(map)); }
  template <class Other>
  void operator()(Other& object) const {
    note_change<Other>(object.meta.name);
    cluster.apply(std::move(object));
    source.is_relevant_ = true;
  }

  template <class Kind>
  void note_change(const std::string& name) const {
    if constexpr (std::is_same_v<Kind, QueueObject>) source.changes_.queues.insert(name);
    source.changes_.classes |=
        std::is_same_v<Kind, PriorityClassObject> || std::is_same_v<Kind, TopologyObject>;
  }

  void operator()(Gone& gone) const {
    source.warnings_.forget(gone.kind + " " + muster::key_of(gone.ns, gone.name));
    visit_kind(gone.kind, [&]<class Kind>(std::type_identity<Kind>) { note_change<Kind>(gone.name); });
    if (gone.kind == "Pod") {
      const TaskId task = cluster.find_task(gone.ns, gone.name);
      if (task.valid()) source.ungrouped_.erase(cluster.task(task).uid);
      if (task.valid()) source.forget_seen(cluster.task(task).uid);
      if (task.valid()) source.abandoned_.erase(cluster.task(task).uid);
      source.assumptions_.forget_pod(cluster, gone.ns, gone.name);
    }
    if (gone.kind == "BindRequest") source.requests_.erase(gone.ns + "/" + gone.name);
    source.may_be_stranded_ |= gone.kind == "Node";
    if (gone.kind == "PodGroup") {
      source.generations_.erase(gone.ns + "/" + gone.name);
      source.assumptions_.end_annotations(gone.ns, gone.name);
    }
    const TaskId pod = cluster.find_task(gone.ns, gone.name);
    const bool is_own_request = gone.kind == "BindRequest" && pod.valid() &&
                                source.assumptions_.binds(gone.ns, gone.name, cluster.task(pod).uid);
    if (is_own_request) return;
    cluster.remove(gone.kind, gone.ns, gone.name);
    source.is_relevant_ |= gone.kind != "ConfigMap";
  }
  void operator()(Membership& member) const {
    const auto parked = source.ungrouped_.find(member.uid);
    if (parked == source.ungrouped_.end()) return;  // the pod is gone, or already names its PodGroup
    source.assumptions_.join(member.uid, member.group, member.sub_group);
    PodObject pod = std::move(parked->second);
    source.ungrouped_.erase(parked);
    (*this)(pod);
  }
  void operator()(BindEnded& end) const {
    const TaskId pod = cluster.find_task(end.ns, end.name);
    if (pod.valid() && cluster.task(pod).uid == end.uid) source.abandoned_.insert(end.uid);
    source.assumptions_.end_bind(cluster, end.ns, end.name, end.uid);
    source.is_relevant_ = true;
  }
  void operator()(EvictionEnded& end) const {
    source.assumptions_.end_eviction(cluster, end.ns, end.name, end.uid);
  }
  void operator()(PatchEnded& end) const { source.assumptions_.end_annotations(end.ns, end.name); }
};

void LiveSource::look_for_stranded_requests(const Cluster& cluster) {
  may_be_stranded_ = false;
  for (const auto& [key, request] : requests_) {
    const NodeId node = cluster.find_node(request.node);
    if (!node.valid() || !cluster.node(node).present) listener_.stranded_bind_request(request.name);
  }
}

namespace {

// Names the subject of a delta for messages, as "Pod default/train-0".
struct NameOfDelta {
  std::string operator()(const Object& object) const {
    return std::visit(
        []<class Kind>(const Kind& one) {
          return fmt::format("{} {}", Kind::kKind, muster::key_of(one.meta.ns, one.meta.name));
        },
        object);
  }
  std::string operator()(const Gone& gone) const {
    return fmt::format("{} {}", gone.kind, muster::key_of(gone.ns, gone.name));
  }
  std::string operator()(const Membership& member) const { return "the pod with uid " + member.uid; }
  std::string operator()(const auto& about) const {
    return "the assumptions about " + muster::key_of(about.ns, about.name);
  }
};

}  // namespace

// A change that cannot be applied does not affect others. The model may then be out of date, so everything is
// listed again: at once, and with growing delays after further failures.
void LiveSource::apply(Cluster& cluster, Delta& delta) {
  const std::string name = std::visit(NameOfDelta{}, std::as_const(delta));
  try {
    std::visit(Applying{*this, cluster}, delta);
  } catch (const std::exception& failure) {
    log_.error(fmt::format("{}: cannot be applied to the model: {}", name, failure.what()));
    ++unusable_;
    is_behind_ = true;
  }
}

void LiveSource::catch_up() {
  const auto now = kube::Clock::now();
  if (!is_behind_ || now < may_catch_up_) return;
  is_behind_ = false;
  may_catch_up_ = now + between_catching_up_.next();
  list_again(true);
}

void LiveSource::update(Cluster& cluster, TimePoint) {
  for (std::vector<Delta> news = std::exchange(deltas_, {}); Delta & delta : news) apply(cluster, delta);
  catch_up();
  if (may_be_stranded_ && is_synced()) look_for_stranded_requests(cluster);
  // Only a leader takes the changes. Other replicas drop them when there are too many; everything is checked
  // once the replica leads.
  if (changes_.size() > kMostChanges)
    changes_ = {.jobs = {}, .queues = {}, .nodes = {}, .pods = {}, .classes = true};
  for (const ObjectWarning& warning : cluster.take_warnings()) {
    log_.repeated_warning(warning.object + ": " + warning.field + ": " + warning.message);
    warnings_.add(warning.object, warning.field, warning.message);
  }
}

}  // namespace muster::serve
