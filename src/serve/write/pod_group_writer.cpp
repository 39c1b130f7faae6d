// Writes planned PodGroups and annotations to the API server.
#include "serve/write/pod_group_writer.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "grouper/fields.hpp"
#include "grouper/grouper.hpp"
#include "kube/json_text.hpp"
#include "kube/resource.hpp"
#include "kube/waiting.hpp"
#include "serve/health/log.hpp"
#include "serve/health/metrics.hpp"
#include "serve/write/backpressure.hpp"
#include "serve/write/requests.hpp"
#include "util/keys.hpp"

namespace muster::serve {
namespace {

using grouper::text_at;
using kube::ApiRequest;
using kube::HttpResponse;
namespace resources = kube::resources;

// How long a planned PodGroup waits for a bind that needs it.
constexpr auto kUntilWanted = std::chrono::seconds(5);

// An API server that has just started may not know all access rights for this long.
constexpr auto kUntilRightsAreKnown = std::chrono::seconds(5);

MayRetry until_rights_are_known() {
  return [refused = std::optional<kube::Clock::time_point>()](const HttpResponse& answer) mutable {
    if (answer.status != 403) return is_transient(answer) || answer.status == 409;
    const auto now = kube::Clock::now();
    if (!refused) refused = now;
    return now - *refused < kUntilRightsAreKnown;
  };
}

}  // namespace

// A plan that was written, is being written, or waits to be written.
struct PodGroupWriter::Put {
  explicit Put(kube::Loop& loop) : wanted(loop) {}
  std::string ns, name;
  std::size_t hash = 0;  // of the plan
  json plan;             // null once it was sent
  bool is_waiting = false, is_wanted = false;
  kube::Signal wanted;
  kube::Latch done;
  bool failed = false;
};

// A write of annotations in progress.
struct PodGroupWriter::Patching {
  kube::Latch done;
  bool failed = false;
};

PodGroupWriter::PodGroupWriter(const WriteServices& parts) : p_(parts) {}

PodGroupWriter::~PodGroupWriter() = default;

// ---------------------------------------------------------------- making and updating

kube::Async<bool> PodGroupWriter::put(json plan) {
  const std::string ns = text_at(plan, "/metadata/namespace"), name = text_at(plan, "/metadata/name");
  const std::size_t hash = std::hash<json>()(plan);
  if (const auto known = put_of(ns, name)) {
    co_await known->done.opened();
    if (!known->failed && known->hash == hash) co_return true;
  }
  const auto put = begin(std::move(plan), hash);
  co_await put->done.opened();
  co_return !put->failed;
}

std::shared_ptr<PodGroupWriter::Put> PodGroupWriter::begin(json plan, std::size_t hash) {
  const auto put = std::make_shared<Put>(p_.client.loop());
  put->ns = text_at(plan, "/metadata/namespace");
  put->name = text_at(plan, "/metadata/name");
  put->hash = hash;
  put->plan = std::move(plan);
  puts_[put->ns + "/" + put->name] = put;
  kube::spawn(carry_out(put, p_.knowledge.knows(resources::kPodGroups, put->ns, put->name)),
              "writing a PodGroup");
  return put;
}

kube::Async<bool> PodGroupWriter::put_back(json plan, std::string start) {
  const std::string ns = text_at(plan, "/metadata/namespace"), name = text_at(plan, "/metadata/name");
  const std::size_t hash = std::hash<json>()(plan);
  if (put_of(ns, name) == nullptr) {
    begin(std::move(plan), hash);
    if (!start.empty()) annotate(ns, name, {{keys::kLastStart, start}});
  }
  co_return co_await is_there(ns, name);
}

kube::Async<void> PodGroupWriter::carry_out(std::shared_ptr<Put> put, bool is_known) {
  try {
    if (is_known)
      co_await update(put);
    else
      co_await make(put);
  } catch (const std::exception& failure) {
    p_.log.error(std::string("could not write a PodGroup: ") + failure.what(),
                 {{"podGroup", put->ns + "/" + put->name}});
    finish(put, false);
  }
}

kube::Async<void> PodGroupWriter::make(std::shared_ptr<Put> put) {
  assume(put->plan);
  put->is_waiting = true;
  co_await moment_to_make(put);
  put->is_waiting = false;
  const CountedWrite counted(open_writes_);
  ApiRequest create{.method = "POST",
                    .path = resources::kPodGroups.path(put->ns),
                    .body = kube::json_text(put->plan),
                    .lane = kube::Lane::kFollowUp};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(create));
  bool is_written = answer.ok();
  if (answer.status == 409) is_written = co_await patch_spec(&put->plan);
  if (answer.ok()) p_.knowledge.saw(resources::kPodGroups, answer.body);
  if (!is_written) {
    p_.log.repeated_warning("could not create a PodGroup: " + describe(answer), {{"namespace", put->ns}});
    p_.knowledge.retract(resources::kPodGroups, put->ns, put->name);
  }
  finish(put, is_written);
}

kube::Async<void> PodGroupWriter::moment_to_make(std::shared_ptr<Put> put) {
  const auto latest = kube::Clock::now() + WriteBackpressure::kLongestDelay;
  bool waits = true;
  while (waits) {
    co_await put->wanted.until(std::min(kube::Clock::now() + kUntilWanted, latest));
    const auto now = kube::Clock::now();
    waits = !put->is_wanted && p_.rush.is_on(now) && now < latest && !p_.client.loop().stopping();
  }
}

void PodGroupWriter::assume(json plan) {
  plan["metadata"]["generation"] = 1;  // as the API server will set it, so that its answer brings no change
  p_.knowledge.assume(resources::kPodGroups, kube::json_text(plan));
}

kube::Async<void> PodGroupWriter::update(std::shared_ptr<Put> put) {
  const CountedWrite counted(open_writes_);
  const bool is_written = co_await patch_spec(&put->plan);
  finish(put, is_written);
}

kube::Async<bool> PodGroupWriter::patch_spec(const json* plan) {
  const std::string ns = text_at(*plan, "/metadata/namespace"), name = text_at(*plan, "/metadata/name");
  ApiRequest patch{.method = "PATCH",
                   .path = resources::kPodGroups.path(ns, name),
                   .body = kube::json_text(grouper::update_of(*plan)),
                   .content_type = kube::kMergePatch};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(patch));
  if (answer.ok()) p_.knowledge.saw(resources::kPodGroups, answer.body);
  if (!answer.ok())
    p_.log.repeated_warning("could not update a PodGroup: " + describe(answer),
                            {{"podGroup", ns + "/" + name}});
  co_return answer.ok();
}

void PodGroupWriter::finish(const std::shared_ptr<Put>& put, bool is_written) {
  put->plan = json();
  put->failed = !is_written;
  if (put->failed && put_of(put->ns, put->name) == put) puts_.erase(put->ns + "/" + put->name);
  put->done.open();
}

std::shared_ptr<PodGroupWriter::Put> PodGroupWriter::put_of(const std::string& ns,
                                                            const std::string& name) const {
  const auto found = puts_.find(ns + "/" + name);
  return found == puts_.end() ? nullptr : found->second;
}

bool PodGroupWriter::is_being_made(const std::string& ns, const std::string& name) const {
  const auto put = put_of(ns, name);
  return put != nullptr && !put->done.is_open();
}

void PodGroupWriter::make_soon(const std::string& ns, const std::string& name) {
  const auto put = put_of(ns, name);
  if (put == nullptr || !put->is_waiting) return;
  put->is_wanted = true;
  put->wanted.give();
}

void PodGroupWriter::bind_names(const std::string& ns, const std::string& name) {
  if (!p_.rush.is_on(kube::Clock::now())) make_soon(ns, name);
}

kube::Async<bool> PodGroupWriter::is_there(std::string ns, std::string name) {
  const auto put = put_of(ns, name);
  if (put == nullptr) co_return true;
  make_soon(ns, name);
  co_await put->done.opened();
  co_return !put->failed;
}

// ---------------------------------------------------------------- annotations

void PodGroupWriter::annotate(const std::string& ns, const std::string& name,
                              const AnnotationChanges& changes) {
  if (const auto put = put_of(ns, name); put != nullptr && put->is_waiting) {
    for (const auto& [annotation, value] : changes)
      if (value) put->plan["metadata"]["annotations"][annotation] = *value;
    return;
  }
  const std::string key = ns + "/" + name;
  AnnotationChanges& waiting = unsent_[key];
  for (const auto& [annotation, value] : changes) waiting[annotation] = value;
  if (patching_.contains(key)) return;
  const auto patching = patching_[key] = std::make_shared<Patching>();
  kube::spawn(send_annotations(ns, name, patching), "annotating a PodGroup");
}

kube::Async<bool> PodGroupWriter::is_annotated(std::string ns, std::string name) {
  const auto found = patching_.find(ns + "/" + name);
  if (found == patching_.end()) co_return co_await is_there(std::move(ns), std::move(name));
  const auto patching = found->second;
  co_await patching->done.opened();
  co_return !patching->failed;
}

// Sends one request at a time for each PodGroup. Changes decided in the meantime go into the next request. If
// the server refuses a change, the model takes the PodGroup from the server.
kube::Async<void> PodGroupWriter::send_annotations(std::string ns, std::string name,
                                                   std::shared_ptr<Patching> patching) {
  const CountedWrite counted(open_writes_);
  const std::string key = ns + "/" + name;
  try {
    co_await send_all_annotations(ns, name, patching.get());
  } catch (const std::exception& failure) {
    p_.log.error(std::string("could not annotate a PodGroup: ") + failure.what(), {{"podGroup", key}});
    patching->failed = true;
    unsent_.erase(key);
    p_.knowledge.end_annotations(ns, name);
  }
  patching_.erase(key);
  patching->done.open();
}

kube::Async<void> PodGroupWriter::send_all_annotations(std::string ns, std::string name, Patching* patching) {
  const std::string key = ns + "/" + name;
  co_await is_there(ns, name);
  bool is_undone = true;
  while (unsent_.contains(key) || !is_undone) {
    if (!unsent_.contains(key)) {
      co_await undo_annotations(ns, name);
      is_undone = true;
      continue;
    }
    const bool is_written = co_await send_unsent(ns, name);
    if (is_written) continue;
    patching->failed = true;
    is_undone = false;
  }
}

kube::Async<bool> PodGroupWriter::send_unsent(std::string ns, std::string name) {
  const std::string key = ns + "/" + name;
  const AnnotationChanges changes = std::move(unsent_[key]);
  unsent_.erase(key);
  json annotations = json::object();
  for (const auto& [annotation, value] : changes) annotations[annotation] = value ? json(*value) : json();
  const json body = {{"metadata", {{"annotations", annotations}}}};
  // An eviction waits for its record.
  const auto lane = changes.contains(keys::kEvictionReceipt) ? kube::Lane::kEviction : kube::Lane::kOrdinary;
  ApiRequest patch{.method = "PATCH",
                   .path = resources::kPodGroups.path(ns, name),
                   .body = kube::json_text(body),
                   .content_type = kube::kMergePatch,
                   .lane = lane};
  const HttpResponse answer =
      co_await send_persistently(&p_.client, std::move(patch), until_rights_are_known());
  if (answer.ok()) {
    p_.knowledge.saw(resources::kPodGroups, answer.body);
  } else if (answer.status != 404) {
    p_.metrics.write_failed("annotate");
    p_.log.repeated_warning("could not annotate a PodGroup: " + describe(answer), {{"podGroup", key}});
  }
  co_return answer.ok();
}

// Annotations that are decided during the read remain assumed: they are sent next and may be undone then.
kube::Async<void> PodGroupWriter::undo_annotations(std::string ns, std::string name) {
  ApiRequest read{.path = resources::kPodGroups.path(ns, name)};
  const HttpResponse answer = co_await send_persistently(&p_.client, std::move(read));
  if (unsent_.contains(ns + "/" + name)) co_return;
  p_.knowledge.end_annotations(ns, name);
  if (answer.ok()) p_.knowledge.saw_unchanged(resources::kPodGroups, answer.body);
}

}  // namespace muster::serve
