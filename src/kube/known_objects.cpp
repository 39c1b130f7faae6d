// Compares resource versions: changes older than the known version are ignored.
#include "kube/known_objects.hpp"

namespace muster::kube {

std::vector<std::string> KnownObjects::end_list(std::uint64_t version) {
  ended_ = begun_;
  std::vector<std::string> gone;
  for (const auto& [key, known] : known_)
    if (known.list != begun_ && known.version <= version) gone.push_back(key);
  for (const std::string& key : gone) known_.erase(key);
  return gone;
}

bool KnownObjects::take_listed(const std::string& key, std::uint64_t version) {
  known_[key].list = begun_;
  return take(key, version);
}

bool KnownObjects::take(const std::string& key, std::uint64_t version) {
  Known& known = known_[key];
  if (version != 0 && version <= known.version) return false;
  known.version = version;
  return true;
}

bool KnownObjects::take_deletion(const std::string& key, std::uint64_t version) {
  const auto known = known_.find(key);
  if (known == known_.end() || known->second.version > version) return false;
  deleted_.put(key, version);
  known_.erase(known);
  return true;
}

void KnownObjects::keep(const std::string& key) {
  if (const auto known = known_.find(key); known != known_.end()) known->second.list = begun_;
}

void KnownObjects::forget_version(const std::string& key, std::uint64_t version) {
  const auto known = known_.find(key);
  if (known != known_.end() && known->second.version <= version) known->second.version = 0;
}

void KnownObjects::forget_versions() {
  for (auto& [key, known] : known_) known.version = 0;
}

std::uint64_t KnownObjects::version_of(const std::string& key) const {
  const auto known = known_.find(key);
  return known == known_.end() ? 0 : known->second.version;
}

bool KnownObjects::was_deleted_after(const std::string& key, std::uint64_t version) const {
  const std::uint64_t* deleted = deleted_.peek(key);
  return deleted != nullptr && *deleted > version;
}

}  // namespace muster::kube
