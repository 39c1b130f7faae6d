// Heaps of queues that mirror the queue tree, with data of the derived order at each leaf. fairshare.md 7.
//
// A queue that was touched is re-sorted only when it reaches the top. Decisions depend on exactly when that
// happens, so these are explicit array heaps, not sorted containers.
//
// A derived order defines the data of a leaf, and how a queue is compared by its best leaf:
//   struct Leaf { bool empty() const; void clear(); };
//   QueueSide side(QueueId queue, const Leaf& best) const;
#pragma once

#include <memory>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/order/heap.hpp"

namespace muster {

// Which of two queues comes up first: the one to serve first, or the one to take from first.
enum class ComesUp : std::uint8_t { kServedFirst, kServedLast };

// The cost of inserting a queue into a heap, in steps of a search.
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
    std::vector<Node*> children;  // a heap; empty at a leaf
    Leaf leaf;
  };

  // Removes all queues but keeps their memory.
  void start_over() {
    for (std::size_t i = 0; i < used_; ++i) by_queue_[nodes_[i]->queue] = nullptr;
    used_ = 0;
    root_.clear();
  }

  bool knows(QueueId queue) const { return by_queue_[queue] != nullptr; }
  // A new node is not linked, and its leaf is empty.
  Node* node_of(QueueId queue) {
    Node*& node = by_queue_[queue];
    if (node == nullptr) node = make_node(queue);
    return node;
  }

  // Links a leaf that is not empty, and its ancestors as far as they were empty.
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

  // Call after the sort key of the leaf changed.
  void touch(Node* node) {
    for (; node != nullptr; node = node->parent) node->is_dirty = true;
  }

  // The leaf that comes up first. REQUIRES: some leaf is linked.
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

  // Call after something was taken from the first leaf. Unlinks it if it is empty now, and likewise its
  // ancestors.
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
  friend Order;

  explicit QueueHeaps(Session& session) : session_(session), by_queue_(session.cluster.queues().size()) {}

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
