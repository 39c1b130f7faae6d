// The queues: by name, as a tree, and what each of them and everything below it holds and wants.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/queue.hpp"

namespace muster {

class QueueTree {
 public:
  QueueTree();

  // What is charged to no queue is charged to nobody: it stands beside the tree, without quota, share or
  // limit, and nothing starts in it.
  QueueId nobody() const { return QueueId(0); }

  // ---- objects. A queue that is only mentioned is there as a name.
  QueueId mention(std::string_view name);
  void apply(QueueObject&& object, bool present);
  void remove(std::string_view name);
  // Not valid: never mentioned.
  QueueId find(std::string_view name) const;

  // ---- the tree. While it is stale, uses are not kept.
  void set_stale() { is_stale_ = true; }
  bool is_stale() const { return is_stale_; }
  // The tree as the objects have it; flat: every queue that names a parent hangs on the queue "default". Uses
  // are to be counted again. The way up from any queue ends, also from those that are left out.
  void build(bool is_flat, std::vector<ObjectWarning>& warnings);

  const IdVector<QueueId, Queue>& all() const { return queues_; }
  const Queue& operator[](QueueId id) const { return queues_[id]; }
  // Usable queues at the top level, by creation time, then name.
  std::span<const QueueId> top() const { return top_; }
  // All usable queues, each right before those below it.
  std::span<const QueueId> depth_first() const { return depth_first_; }

  // ---- uses
  const QueueUse& use(QueueId id) const { return uses_[id]; }
  // What a job of the queue holds and wants is counted.
  bool counts(QueueId id) const { return !is_stale_ && id.valid() && queues_[id].usable; }
  void clear_uses() { uses_.assign(queues_.size(), {}); }
  // Changes the use of the queue and of all above it.
  template <class Change>
  void change_up(QueueId from, Change change) {
    for (QueueId q = from; q.valid(); q = queues_[q].parent) change(uses_[q]);
  }

 private:
  QueueId make_flat_root();
  std::vector<QueueId> hang(QueueId flat_root, std::vector<ObjectWarning>& warnings);
  void walk_down();
  void cut_circles(const std::vector<QueueId>& hanging, std::vector<ObjectWarning>& warnings);

  IdVector<QueueId, Queue> queues_;
  IdVector<QueueId, QueueUse> uses_;
  absl::flat_hash_map<std::string, QueueId> ids_;
  std::vector<QueueId> top_, depth_first_;
  bool is_stale_ = true;
};

}  // namespace muster
