// The queues: lookup by name, the tree, and what each queue and its descendants use and request.
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

  // The pseudo queue that jobs without a queue are charged to. It is not part of the tree, has no quota,
  // share or limit, and no job starts in it.
  QueueId no_queue() const { return QueueId(0); }

  // ---- Objects. A queue that was only mentioned has an entry without an object.
  QueueId mention(std::string_view name);
  void apply(QueueObject&& object, bool present);
  void remove(std::string_view name);
  // Not valid if it was never mentioned.
  QueueId find(std::string_view name) const;

  // ---- The tree. While it is stale, uses are not maintained.
  void set_stale() { is_stale_ = true; }
  bool is_stale() const { return is_stale_; }
  // Rebuilds the tree from the objects. If `is_flat`, every queue with a parent becomes a child of the queue
  // "default". All uses must be counted again. Afterwards every path upwards ends, also from queues that are
  // ignored.
  void build(bool is_flat, std::vector<ObjectWarning>& warnings);

  const IdVector<QueueId, Queue>& all() const { return queues_; }
  const Queue& operator[](QueueId id) const { return queues_[id]; }
  // Usable top-level queues, by creation time, then name.
  std::span<const QueueId> top() const { return top_; }
  // All usable queues, each directly before its descendants.
  std::span<const QueueId> depth_first() const { return depth_first_; }

  // ---- Uses
  const QueueUse& use(QueueId id) const { return uses_[id]; }
  // Whether the use and the requests of jobs in this queue are counted.
  bool counts(QueueId id) const { return !is_stale_ && id.valid() && queues_[id].usable; }
  void clear_uses() { uses_.assign(queues_.size(), {}); }
  // Applies `change` to the use of the queue and of all its ancestors.
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
