// Tracks names, because only the last object of a name counts.
#include "loader/left_out.hpp"

#include <fmt/format.h>

#include "util/names.hpp"

namespace muster::loader {
namespace {

void keep(bool is_left_out, const Meta& meta, std::set<std::string>& names) {
  if (is_left_out)
    names.insert(muster::key_of(meta.ns, meta.name));
  else if (!names.empty())
    names.erase(muster::key_of(meta.ns, meta.name));
}

// "a", "a and b", "a, b and c".
std::string enumerated(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
  return text;
}

std::string why_other_pool(const ClusterOptions& options) {
  const std::string& label = options.node_pool_label;
  if (options.node_pool.empty())
    return fmt::format("label {} names a node pool, but the configuration sets no partitionLabelValue",
                       label);
  return fmt::format("label {} is not \"{}\" (partitionLabelValue in the configuration)", label,
                     options.node_pool);
}

}  // namespace

void LeftOut::note(const Object& object) {
  const auto note_known = [&]<class T>(const T& known) {
    constexpr bool kHasPool =
        std::is_same_v<T, NodeObject> || std::is_same_v<T, QueueObject> || std::is_same_v<T, PodGroupObject>;
    if constexpr (kHasPool) {
      const bool is_ours = cluster_.in_partition(known.meta.labels);
      keep(!is_ours, known.meta, of_other_pools_[T::kKind]);
      if constexpr (std::is_same_v<T, NodeObject>)
        keep(is_ours && !cluster_.is_worker(known.meta.labels), known.meta, no_workers_);
    }
  };
  std::visit(note_known, object);
}

std::vector<std::string> LeftOut::notes() const {
  std::vector<std::string> notes, kinds;
  for (const auto& [kind, names] : of_other_pools_)
    if (!names.empty()) kinds.push_back(counted(names.size(), kind));
  const ClusterOptions& options = cluster_.options();
  if (!kinds.empty())
    notes.push_back(fmt::format("{} left out: {}", enumerated(kinds), why_other_pool(options)));
  if (!no_workers_.empty())
    notes.push_back(
        fmt::format("{} left out: restrictSchedulingNodes is set, but neither label {} nor {} is present",
                    counted(no_workers_.size(), "Node"), options.cpu_worker_label, options.gpu_worker_label));
  return notes;
}

}  // namespace muster::loader
