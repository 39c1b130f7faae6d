// Follows references upwards for a limited number of steps, because owners may form a cycle.
#include "model/owners.hpp"

#include <absl/container/flat_hash_set.h>

namespace muster {
namespace {

constexpr int kLongestChain = 16;  // a longer chain is a cycle

std::string key_of(std::string_view kind, std::string_view ns, std::string_view name) {
  std::string key(kind);
  return key.append(1, '/').append(ns).append(1, '/').append(name);
}

}  // namespace

OwnerId OwnerTable::mention(std::string_view ns, const OwnerReference& reference) {
  if (reference.kind.empty()) return {};
  Reference made{key_of(reference.kind, ns, reference.name), reference.uid};
  const auto [found, is_new] = reference_ids_.try_emplace(made.key + '@' + made.uid);
  if (is_new) {
    found->second = free_.take(references_);
    references_[found->second] = std::move(made);
  }
  return found->second;
}

void OwnerTable::keep_only(const Marks<OwnerId>& used) {
  free_.sweep(reference_ids_, references_, used);
  absl::flat_hash_set<std::string> reached;
  for (const auto& [text, id] : reference_ids_) {
    const Owner* owner = find(references_[id]);
    std::string key = references_[id].key;
    while (owner != nullptr && reached.insert(key).second) {
      key = owner->above.key;
      owner = key.empty() ? nullptr : find(owner->above);
    }
  }
  absl::erase_if(owners_, [&](const auto& entry) {
    if (reached.contains(entry.first)) return false;
    labelled_ -= !entry.second.preemptibility.empty();
    return true;
  });
}

bool OwnerTable::apply(OwnerObject&& object) {
  Owner owner{.uid = object.has_uid ? std::move(object.meta.uid) : "",
              .preemptibility = std::move(object.preemptibility)};
  if (!object.owner.kind.empty())
    owner.above = {key_of(object.owner.kind, object.meta.ns, object.owner.name), object.owner.uid};
  Owner& known = owners_[key_of(object.kind, object.meta.ns, object.meta.name)];
  if (known == owner) return false;
  labelled_ += !owner.preemptibility.empty();
  const bool some_label = labelled_ > 0;
  labelled_ -= !known.preemptibility.empty();
  known = std::move(owner);
  return some_label;
}

bool OwnerTable::remove(std::string_view kind, std::string_view ns, std::string_view name) {
  const auto found = owners_.find(key_of(kind, ns, name));
  if (found == owners_.end()) return false;
  const bool some_label = labelled_ > 0;
  labelled_ -= !found->second.preemptibility.empty();
  owners_.erase(found);
  return some_label;
}

const OwnerTable::Owner* OwnerTable::find(const Reference& reference) const {
  const auto found = owners_.find(reference.key);
  if (found == owners_.end()) return nullptr;
  const Owner& owner = found->second;
  const bool is_another = !reference.uid.empty() && !owner.uid.empty() && reference.uid != owner.uid;
  return is_another ? nullptr : &owner;
}

std::optional<Preemptibility> OwnerTable::preemptibility(OwnerId id) const {
  std::optional<Preemptibility> topmost;
  if (!id.valid() || labelled_ == 0) return topmost;
  const Owner* owner = find(references_[id]);
  for (int steps = 0; owner != nullptr && steps < kLongestChain; ++steps) {
    if (const auto label = parse_preemptibility(owner->preemptibility)) topmost = label;
    owner = owner->above.key.empty() ? nullptr : find(owner->above);
  }
  return topmost;
}

}  // namespace muster
