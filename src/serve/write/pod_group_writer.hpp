// Writes PodGroups: creates and updates them for the pod grouper, and annotates them for decisions.
//
// A planned PodGroup is in the model at once, so that its pods can be placed. It is created when a bind needs
// it, otherwise after a short delay; under back-pressure binds are written first. Annotations that are
// decided until then are part of the new object.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "kube/async.hpp"
#include "serve/read/observed_state.hpp"
#include "serve/write/write_parts.hpp"

namespace muster::serve {

class PodGroupWriter {
 public:
  explicit PodGroupWriter(const WriteServices& parts);
  ~PodGroupWriter();

  // Returns true once the PodGroup is as planned, false if it could not be written.
  kube::Async<bool> put(nlohmann::json plan);
  // Likewise for a PodGroup that is missing although its pods have been on nodes since `start`; "": unknown.
  kube::Async<bool> put_back(nlohmann::json plan, std::string start);
  // Creates the PodGroup at once if it is only planned, and waits for it. Returns false if that failed.
  kube::Async<bool> is_there(std::string ns, std::string name);
  bool is_being_made(const std::string& ns, const std::string& name) const;
  // True if a write of the PodGroup is planned or in progress.
  bool is_being_written(const std::string& ns, const std::string& name) const {
    return is_being_made(ns, name) || patching_.contains(ns + "/" + name);
  }
  void make_soon(const std::string& ns, const std::string& name);
  // Call when a pod that names the PodGroup is about to be bound. Creates the PodGroup now, unless there is
  // back-pressure.
  void bind_names(const std::string& ns, const std::string& name);

  void annotate(const std::string& ns, const std::string& name, const AnnotationChanges& changes);
  // Waits until all annotations are written. Returns false if some could not be written.
  kube::Async<bool> is_annotated(std::string ns, std::string name);

  void group_gone(const std::string& ns, const std::string& name) { puts_.erase(ns + "/" + name); }
  // The number of writes in progress or waiting.
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
  kube::Async<bool> patch_spec(const json* plan);
  void finish(const std::shared_ptr<Put>& put, bool is_written);
  kube::Async<void> send_annotations(std::string ns, std::string name, std::shared_ptr<Patching> patching);
  kube::Async<void> send_all_annotations(std::string ns, std::string name, Patching* patching);
  kube::Async<bool> send_unsent(std::string ns, std::string name);
  kube::Async<void> undo_annotations(std::string ns, std::string name);
  std::shared_ptr<Put> put_of(const std::string& ns, const std::string& name) const;

  const WriteServices p_;
  absl::flat_hash_map<std::string, std::shared_ptr<Put>> puts_;           // "ns/name"
  absl::flat_hash_map<std::string, AnnotationChanges> unsent_;            // "ns/name"
  absl::flat_hash_map<std::string, std::shared_ptr<Patching>> patching_;  // "ns/name"
  int open_writes_ = 0;
};

}  // namespace muster::serve
