// Builds the tree once all queues are known. Queues without a path to the top are ignored.
#include "model/queue_tree.hpp"

#include <algorithm>

namespace muster {
namespace {

constexpr const char* kFlatRoot = "default";

ObjectWarning ignored(const Queue& queue, std::string why) {
  return {"Queue " + queue.name, "spec.parentQueue", std::move(why)};
}

// Matches one star at a time: the text after it is searched in the rest.
bool matches_pattern(std::string_view text, std::string_view pattern) {
  const std::size_t first = pattern.find('*');
  if (first == pattern.npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + 1);
  for (std::size_t star = pattern.find('*'); star != pattern.npos; star = pattern.find('*')) {
    const std::size_t found = text.find(pattern.substr(0, star));
    if (found == text.npos) return false;
    text.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
  return text.ends_with(pattern);
}

}  // namespace

bool Queue::admits(std::string_view ns) const {
  return namespaces.empty() ||
         std::ranges::any_of(namespaces, [&](const std::string& p) { return matches_pattern(ns, p); });
}

QueueTree::QueueTree() {
  queues_.push_back({});
  queues_[no_queue()].usable = true;
  uses_.push_back({});
}

// ---------------------------------------------------------------- objects

QueueId QueueTree::mention(std::string_view name) {
  const auto [found, is_new] = ids_.try_emplace(std::string(name), queues_.end_id());
  if (is_new) {
    queues_[queues_.push_back({})].name = name;
    uses_.push_back({});
  }
  return found->second;
}

void QueueTree::apply(QueueObject&& object, bool present) {
  Queue& queue = queues_[mention(object.meta.name)];
  if (queue.present != present || queue.parent_name != object.parent_name ||
      queue.meta.created != object.meta.created || queue.namespaces != object.namespaces)
    is_stale_ = true;
  queue.present = present;
  static_cast<QueueObject&>(queue) = std::move(object);
}

void QueueTree::remove(std::string_view name) {
  const QueueId id = find(name);
  if (!id.valid() || !queues_[id].present) return;
  queues_[id].present = false;
  is_stale_ = true;
}

QueueId QueueTree::find(std::string_view name) const {
  const auto found = ids_.find(std::string(name));
  return found == ids_.end() ? QueueId() : found->second;
}

// ---------------------------------------------------------------- the tree

void QueueTree::build(bool is_flat, std::vector<ObjectWarning>& warnings) {
  const QueueId flat_root = is_flat ? make_flat_root() : QueueId();
  std::vector<QueueId> hanging = hang(flat_root, warnings);
  std::sort(hanging.begin(), hanging.end(), [&](QueueId a, QueueId b) {
    return std::pair(queues_[a].meta.created, std::string_view(queues_[a].name)) <
           std::pair(queues_[b].meta.created, std::string_view(queues_[b].name));
  });
  top_.clear();
  for (QueueId q : hanging) {
    const QueueId parent = queues_[q].parent;
    (parent.valid() ? queues_[parent].children : top_).push_back(q);
  }
  walk_down();
  cut_circles(hanging, warnings);
  is_stale_ = false;
}

QueueId QueueTree::make_flat_root() {
  const QueueId id = mention(kFlatRoot);
  Queue& root = queues_[id];
  root.present = true;
  root.parent_name.clear();
  root.cpu = root.memory = root.gpu = {.quota = -1, .limit = -1, .weight = 1};
  root.priority = 100;
  return id;
}

// Finds the parents. Returns the queues that have a parent or need none.
std::vector<QueueId> QueueTree::hang(QueueId flat_root, std::vector<ObjectWarning>& warnings) {
  std::vector<QueueId> hanging;
  for (QueueId q : ids(queues_)) {
    if (q == no_queue()) continue;
    Queue& queue = queues_[q];
    queue.children.clear();
    queue.parent = {};
    queue.usable = false;
    queue.depth = 0;
    if (!queue.present) continue;
    const bool is_below = !queue.parent_name.empty();
    if (flat_root.valid()) {
      if (q != flat_root && !is_below) continue;
      if (q != flat_root) queue.parent = flat_root;
    } else if (is_below) {
      queue.parent = find(queue.parent_name);
      if (!queue.parent.valid() || !queues_[queue.parent].present) {
        warnings.push_back(ignored(queue, "parent queue \"" + queue.parent_name +
                                              "\" does not exist; this queue and all below it are ignored"));
        continue;
      }
    }
    hanging.push_back(q);
  }
  return hanging;
}

// Walks down from the top. Queues that are not reached have a missing ancestor or are part of a cycle.
void QueueTree::walk_down() {
  depth_first_.clear();
  std::vector<QueueId> todo(top_.rbegin(), top_.rend());
  while (!todo.empty()) {
    const QueueId q = todo.back();
    todo.pop_back();
    Queue& queue = queues_[q];
    queue.usable = true;
    queue.depth = queue.parent.valid() ? queues_[queue.parent].depth + 1 : 0;
    todo.insert(todo.end(), queue.children.rbegin(), queue.children.rend());
    depth_first_.push_back(q);
  }
}

// Queues on a cycle, or below one, are reached neither from the top nor from a queue with a missing parent.
// They lose their parent, so that every path upwards ends.
void QueueTree::cut_circles(const std::vector<QueueId>& hanging, std::vector<ObjectWarning>& warnings) {
  IdVector<QueueId, bool> ends(queues_.size(), true);
  for (QueueId q : hanging) ends[q] = queues_[q].usable;
  std::vector<QueueId> todo;
  for (QueueId q : ids(queues_))
    if (ends[q] && !queues_[q].usable) todo.push_back(q);
  while (!todo.empty()) {
    const QueueId q = todo.back();
    todo.pop_back();
    for (QueueId child : queues_[q].children) ends[child] = true;
    todo.insert(todo.end(), queues_[q].children.begin(), queues_[q].children.end());
  }
  for (QueueId q : hanging) {
    if (ends[q]) continue;
    warnings.push_back(ignored(queues_[q], "the queue is its own ancestor; it and all below it are ignored"));
    queues_[q].parent = {};
  }
}

}  // namespace muster
