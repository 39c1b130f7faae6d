// Heaps of queues that mirror the queue tree, with something of the order's own at each leaf. fairshare.md 7.
//
// Queues are re-sorted lazily, when one that was touched comes up on top: decisions depend on exactly when
// that happens, so these are array heaps written out, not sorted containers.
//
// An order derives from it, names what a leaf holds, and says how a queue is compared by the best leaf below:
//   struct Leaf { bool empty() const; void clear(); };
//   QueueSide side(QueueId queue, const Leaf& best) const;
#pragma once

#include <memory>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/order/heap.hpp"

namespace muster {

// Which of two queues comes up first: the one that is served first, or the other one, which gives first.
enum class ComesUp : std::uint8_t { kServedFirst, kServedLast };

// What it costs to put a queue into a heap, in steps of a search.
inline constexpr std::int64_t kStepsOfAQueue = 8;

template <class Order, class Leaf, ComesUp kComesUp>
class QueueHeaps {
 public:
  bool empty() const { return root_.empty(); }

 protected:
  struct Node {
    QueueId queue;
    Node* parent = nullptr;
    bool is_linked = false, is_dirty = false;
    std::vector<Node*> children;  // a heap; none at a leaf
    Leaf leaf;
  };

  explicit QueueHeaps(Session& session) : session_(session), by_queue_(session.cluster.queues().size()) {}

  // Forgets all queues and keeps their memory.
  void start_over() {
    for (std::size_t i = 0; i < used_; ++i) by_queue_[nodes_[i]->queue] = nullptr;
    used_ = 0;
    root_.clear();
  }

  bool knows(QueueId queue) const { return by_queue_[queue] != nullptr; }
  // The first time it is asked for, the queue is not linked and its leaf is empty.
  Node* node_of(QueueId queue) {
    Node*& node = by_queue_[queue];
    if (node == nullptr) node = make_node(queue);
    return node;
  }

  // Hangs a leaf that has something below its parent, and those above that had nothing so far.
  void link(Node* node) {
    while (true) {
      const QueueId parent = session_.cluster.queue(node->queue).parent;
      node->parent = parent.valid() ? node_of(parent) : nullptr;
      node->is_linked = true;
      heap::push(siblings(*node), node, before());
      if (node->parent == nullptr || node->parent->is_linked) return;
      node = node->parent;
    }
  }

  // What the leaf holds is compared differently now.
  void touch(Node* node) {
    for (; node != nullptr; node = node->parent) node->is_dirty = true;
  }

  // The leaf that comes up. Some leaf must be linked.
  Node* first_leaf() {
    std::vector<Node*>* heap = &root_;
    while (true) {
      Node* node = heap->front();
      while (node->is_dirty) {
        heap::sift_down(*heap, heap->size(), before());
        node->is_dirty = false;  // of the node that was on top, not of the one that came up
        node = heap->front();
      }
      if (node->children.empty()) return node;
      heap = &node->children;
    }
  }

  // Something was taken from the first leaf: it goes if that was the last, and so do those above it.
  void settle(Node* node) {
    for (bool is_empty = node->leaf.empty(); is_empty; is_empty = node != nullptr && node->children.empty()) {
      heap::pop(siblings(*node), before());
      node->is_linked = false;
      node = node->parent;
    }
    touch(node);
  }

  Session& session_;

 private:
  Node* make_node(QueueId queue) {
    if (used_ == nodes_.size()) nodes_.push_back(std::make_unique<Node>());
    Node* node = nodes_[used_++].get();
    node->queue = queue;
    node->parent = nullptr;
    node->is_linked = node->is_dirty = false;
    node->children.clear();
    node->leaf.clear();
    return node;
  }

  std::vector<Node*>& siblings(const Node& node) {
    return node.parent != nullptr ? node.parent->children : root_;
  }

  QueueSide side(const Node& node) const {
    const Node* best = &node;
    while (!best->children.empty()) best = best->children.front();
    return static_cast<const Order&>(*this).side(node.queue, best->leaf);
  }

  auto before() const {
    return [this](const Node* a, const Node* b) {
      const int order = session_.hooks.queue_order(side(*a), side(*b));
      const Cluster& c = session_.cluster;
      const bool is_first = order != 0 ? order < 0 : age(c.queue(a->queue)) < age(c.queue(b->queue));
      return is_first == (kComesUp == ComesUp::kServedFirst);
    };
  }

  std::vector<std::unique_ptr<Node>> nodes_;  // the first `used_` are in use
  std::size_t used_ = 0;
  IdVector<QueueId, Node*> by_queue_;
  std::vector<Node*> root_;
};

}  // namespace muster
