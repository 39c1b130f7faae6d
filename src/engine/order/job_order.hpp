// Jobs served in order: heaps of jobs below heaps of queues, mirroring the queue tree. fairshare.md 7.
//
// Queues are re-sorted lazily, when one that was touched comes up on top: decisions depend on exactly when
// that happens, so this is an array heap written out, not a sorted container.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <optional>
#include <vector>

#include "engine/cycle/session.hpp"

namespace muster {

class JobOrder {
 public:
  // At most `depth` jobs wait in each leaf queue, the best ones.
  explicit JobOrder(Session& session, std::optional<int> depth = std::nullopt);

  // Jobs whose queue is unknown or not a leaf are left out.
  void push(JobId job);
  bool empty() const { return root_.empty(); }
  JobId pop();

 private:
  struct Waiting : JobEntry {
    bool has_active_tasks = false;  // which it may lose while it waits here
  };
  struct QueueNode {
    QueueId queue;
    QueueNode* parent = nullptr;
    bool is_leaf = false;
    bool dirty = false;
    std::vector<Waiting> jobs;         // of a leaf
    std::vector<QueueNode*> children;  // of an inner queue
    bool empty() const { return is_leaf ? jobs.empty() : children.empty(); }
  };

  void link(QueueNode* node);
  QueueNode* make_node(QueueId queue, bool is_leaf);
  void mark_dirty(QueueNode* node);
  const QueueNode& best_leaf(const QueueNode& node) const;
  JobEntry as_it_is_now(const Waiting& job) const;
  bool job_before(const Waiting& a, const Waiting& b) const;
  bool queue_before(const QueueNode& a, const QueueNode& b) const;
  void trim(QueueNode& leaf);

  Session& session_;
  std::optional<int> depth_;
  std::vector<std::unique_ptr<QueueNode>> nodes_;
  absl::flat_hash_map<QueueId, QueueNode*> by_queue_;
  std::vector<QueueNode*> root_;
};

}  // namespace muster
