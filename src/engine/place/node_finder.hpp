// Finds nodes that can take a task, best score first. placement.md 0, 5.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/place/node_index.hpp"
#include "engine/place/roomiest_devices.hpp"

namespace muster {

// The candidate nodes of one attempt to place one task, best first. Only one cursor exists at a time.
class NodeCursor {
 public:
  NodeCursor(const Session& session, TaskId task, NodeIndex& index, const Bitmap* allowed,
             const NodeScores* scores)
      : session_(session), task_(task), index_(&index), allowed_(allowed), scores_(scores) {}
  NodeCursor(const Session& session, TaskId task, const Bitmap* allowed);
  ~NodeCursor();
  NodeCursor(const NodeCursor&) = delete;
  NodeCursor& operator=(const NodeCursor&) = delete;

  // The next best node; not valid at the end.
  NodeId next();
  // Reports that a returned node did not take the task, and why.
  void refused(NodeId node, NodeRefusal refusal) { refused_.emplace_back(node, std::move(refusal)); }
  // Like the function above. In addition, the node is not offered to tasks of the shape until a task leaves a
  // node. Returns false if the finder does not remember that.
  bool park(NodeId node);
  // Why no node took the task, by cause; most nodes first.
  std::vector<RefusalCount> refusals() const;

 private:
  struct Scored {
    double score;
    std::uint32_t rank;
    NodeId node;
  };
  NodeId next_indexed();
  NodeId next_scored();
  NodeId best_allowed();

  const Session& session_;
  const TaskId task_;
  NodeIndex* index_ = nullptr;  // null: no index, all nodes are scored
  const Bitmap* allowed_ = nullptr;
  const NodeScores* scores_ = nullptr;  // added to the scores of the index
  NodeId last_;
  std::vector<Scored> scored_;
  std::size_t at_ = 0;
  std::vector<std::pair<NodeId, NodeRefusal>> refused_;
};

class NodeFinder {
 public:
  explicit NodeFinder(const Session& session)
      : session_(session), gpus_(session.cluster), devices_(session.cluster) {}
  // Whether no node has as many whole GPUs as the task requests, so that there are no candidates. Much
  // cheaper than a search.
  bool is_larger_than_all_room(TaskId task);
  // Candidates among the nodes whose ranks are in `allowed`; null: all nodes.
  NodeCursor candidates(TaskId task, const Bitmap* allowed);
  // nearest_shared_gpu(), cached until something moves.
  std::optional<DomainShortage> nearest_device(TaskId task, const Bitmap* allowed);

 private:
  NodeIndex& index_of(ShapeId shape);

  const Session& session_;
  GpuRoom gpus_;
  absl::flat_hash_map<ShapeId, std::unique_ptr<NodeIndex>> indexes_;
  struct Nearest {
    std::uint64_t as_of = 0;
    std::optional<DomainShortage> device;
  };
  absl::flat_hash_map<ShapeId, Nearest> nearest_;
  RoomiestDevices devices_;
};

}  // namespace muster
