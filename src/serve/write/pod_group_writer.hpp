// PodGroups as we write them: made and updated for the pod grouper, annotated for decisions.
//
// A PodGroup that is to be made is in the model at once, so its pods can be placed; it is written when a bind
// needs it, at the latest after a moment; in a rush binds go first. What is decided about it until then goes
// with it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/async.hpp"
#include "serve/read/knowledge.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

class PodGroupWriter {
 public:
  explicit PodGroupWriter(const WriteParts& parts);
  ~PodGroupWriter();

  // True once the PodGroup is as planned, false where that could not be written.
  kube::Async<bool> put(nlohmann::json plan);
  // Likewise of a PodGroup that is missing though its pods stand on nodes since `start`; "": not known.
  kube::Async<bool> put_back(nlohmann::json plan, std::string start);
  // Has it made at once where it is only planned, and waits for it; false where it could not be made.
  kube::Async<bool> is_there(std::string ns, std::string name);
  bool is_being_made(const std::string& ns, const std::string& name) const;
  // Something about it is on its way to the API server.
  bool is_being_written(const std::string& ns, const std::string& name) const {
    return is_being_made(ns, name) || patching_.contains(ns + "/" + name);
  }
  void make_soon(const std::string& ns, const std::string& name);
  // A pod that is about to be bound names it: time to make it, unless there is a rush.
  void bind_names(const std::string& ns, const std::string& name);

  void annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes);
  // Waits until nothing that was to be annotated is left; false where some of it could not be written.
  kube::Async<bool> is_annotated(std::string ns, std::string name);

  void group_gone(const std::string& ns, const std::string& name) { puts_.erase(ns + "/" + name); }
  // Writes under way or waiting.
  int open_writes() const { return open_writes_; }

 private:
  using json = nlohmann::json;

  struct Put;
  struct Patching;

  std::shared_ptr<Put> begin(json plan, std::size_t hash);
  kube::Async<void> carry_out(std::shared_ptr<Put> put, bool is_known);
  kube::Async<void> make(std::shared_ptr<Put> put);
  kube::Async<void> moment_to_make(std::shared_ptr<Put> put);
  void assume(json plan);
  kube::Async<void> update(std::shared_ptr<Put> put);
  kube::Async<bool> patch_spec(const json& plan);
  void finish(const std::shared_ptr<Put>& put, bool is_written);
  kube::Async<void> send_annotations(std::string ns, std::string name, std::shared_ptr<Patching> patching);
  kube::Async<void> send_all_annotations(const std::string& ns, const std::string& name, Patching& patching);
  kube::Async<bool> send_unsent(const std::string& ns, const std::string& name);
  kube::Async<void> undo_annotations(const std::string& ns, const std::string& name);
  std::shared_ptr<Put> put_of(const std::string& ns, const std::string& name) const;

  const WriteParts p_;
  absl::flat_hash_map<std::string, std::shared_ptr<Put>> puts_;           // "ns/name"
  absl::flat_hash_map<std::string, AnnotationChanges> unsent_;            // "ns/name"
  absl::flat_hash_map<std::string, std::shared_ptr<Patching>> patching_;  // "ns/name"
  int open_writes_ = 0;
};

}  // namespace muster::serve
