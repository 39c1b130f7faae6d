// Finds places for tasks: nodes by score, best first, that can take the task. placement.md 0, 5.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <memory>
#include <vector>

#include "engine/cycle/session.hpp"
#include "engine/place/gpu_room.hpp"
#include "engine/place/node_index.hpp"
#include "engine/place/roomiest_devices.hpp"

namespace muster {

// The candidate nodes of one attempt to place one task, best first. Only one exists at a time.
class NodeCursor {
 public:
  NodeCursor(const Session& session, TaskId task, NodeIndex& index, const Bitmap* allowed,
             const NodeScores* scores)
      : session_(session), task_(task), index_(&index), allowed_(allowed), scores_(scores) {}
  NodeCursor(const Session& session, TaskId task, const Bitmap* allowed);
  ~NodeCursor();
  NodeCursor(const NodeCursor&) = delete;
  NodeCursor& operator=(const NodeCursor&) = delete;

  // The best node not yet given; invalid at the end.
  NodeId next();
  // A node that was given did not take the task for this reason.
  void refused(NodeId node, NodeRefusal refusal) { refused_.emplace_back(node, std::move(refusal)); }
  // Likewise, and no task of its shape is taken there before some task has left some node. False: that is not
  // remembered.
  bool park(NodeId node);
  // Why no node took it, by what stands in the way; most first.
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
  NodeIndex* index_ = nullptr;  // null: the plain way
  const Bitmap* allowed_ = nullptr;
  const NodeScores* scores_ = nullptr;  // beside those of the index
  NodeId last_;
  std::vector<Scored> scored_;
  std::size_t at_ = 0;
  std::vector<std::pair<NodeId, NodeRefusal>> refused_;
};

class NodeFinder {
 public:
  explicit NodeFinder(const Session& session)
      : session_(session), gpus_(session.cluster), devices_(session.cluster) {}
  // No node has as many whole GPUs as the task asks for: there are no candidates. Far cheaper than to look
  // for them.
  bool is_larger_than_all_room(TaskId task);
  // Candidates among all nodes, or among those whose ranks are `allowed`.
  NodeCursor candidates(TaskId task, const Bitmap* allowed);
  // nearest_shared_gpu(), remembered while nothing moves.
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
