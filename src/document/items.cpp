// Unfolds lists and KAI-Scheduler snapshots into items that know their kind and their lines.
#include "document/items.hpp"

#include <array>

#include "document/json.hpp"

namespace muster {
namespace {

using simdjson::dom::array;
using simdjson::dom::object;

struct Type {
  std::string_view api_version, kind;
};

// The member as text; "" if it is missing or not a string.
std::string_view text_of(Json root, std::string_view key) {
  std::string_view text;
  return root.at_key(key).get(text) == simdjson::SUCCESS ? text : std::string_view();
}

Type type_of(Json root, Type inherited) {
  if (!root.is_object()) return {};
  Type type{text_of(root, "apiVersion"), text_of(root, "kind")};
  if (type.kind.empty()) type.kind = inherited.kind;
  if (type.api_version.empty()) type.api_version = inherited.api_version;
  return type;
}

struct SnapshotList {
  std::string_view key;
  Type type;
};

constexpr std::array<SnapshotList, 17> kSnapshotLists{{
    {"pods", {"v1", "Pod"}},
    {"nodes", {"v1", "Node"}},
    {"queues", {"scheduling.run.ai/v2", "Queue"}},
    {"podGroups", {"scheduling.run.ai/v2alpha2", "PodGroup"}},
    {"bindRequests", {"scheduling.run.ai/v1alpha2", "BindRequest"}},
    {"priorityClasses", {"scheduling.k8s.io/v1", "PriorityClass"}},
    {"configMaps", {"v1", "ConfigMap"}},
    {"persistentVolumeClaims", {"v1", "PersistentVolumeClaim"}},
    {"persistentVolumes", {"v1", "PersistentVolume"}},
    {"csiStorageCapacities", {"storage.k8s.io/v1", "CSIStorageCapacity"}},
    {"storageClasses", {"storage.k8s.io/v1", "StorageClass"}},
    {"csiDrivers", {"storage.k8s.io/v1", "CSIDriver"}},
    {"resourceClaims", {"resource.k8s.io/v1", "ResourceClaim"}},
    {"resourceSlices", {"resource.k8s.io/v1", "ResourceSlice"}},
    {"deviceClasses", {"resource.k8s.io/v1", "DeviceClass"}},
    {"topologies", {"kai.scheduler/v1alpha1", "Topology"}},
    {"nodeResourceTopologies", {"topology.node.k8s.io/v1alpha2", "NodeResourceTopology"}},
}};

class Item final : public Document {
 public:
  Item(Json root, Type type, const Origin& origin, Places::Index place)
      : root_(root), type_(type), origin_(origin), place_(place) {}
  Json root() const override { return root_; }
  std::string_view api_version() const override { return type_.api_version; }
  std::string_view kind() const override { return type_.kind; }
  const std::string& file() const override { return origin_.file; }
  int line_of(std::string_view path) const override {
    return origin_.places == nullptr ? origin_.line : origin_.places->line_of(path, place_);
  }

 private:
  Json root_;
  Type type_;
  const Origin& origin_;
  Places::Index place_;
};

class Unfolding {
 public:
  Unfolding(const Origin& origin, Snapshots snapshots, const std::function<void(const Document&)>& use)
      : origin_(origin), snapshots_(snapshots), use_(use) {}

  void document(Json root, Type inherited, Places::Index place) {
    array items;
    if (root.get(items) == simdjson::SUCCESS) return this->items(items, {}, place);
    const Type type = type_of(root, inherited);
    if (type.kind.ends_with("List") && root.at_key("items").error() == simdjson::SUCCESS) {
      if (root.at_key("items").is_null()) return;
      if (root.at_key("items").get(items) == simdjson::SUCCESS)
        return this->items(items, item_type(type), child(place, "items"));
    }
    object snapshot;
    if (snapshots_ == Snapshots::kUnfolded && type.kind.empty() && root.is_object() &&
        root.at_key("rawObjects").get(snapshot) == simdjson::SUCCESS)
      return this->snapshot(snapshot, child(place, "rawObjects"));
    use_(Item(root, type, origin_, place));
  }

 private:
  static Type item_type(Type list) {
    list.kind.remove_suffix(4);
    return list.kind.empty() ? Type{} : list;
  }

  Places::Index child(Places::Index place, std::string_view key) const {
    return origin_.places == nullptr ? 0 : origin_.places->child(place, key);
  }

  void items(array items, Type type, Places::Index list) {
    const Places* const places = origin_.places;
    Places::Index place = places == nullptr ? 0 : places->first_item(list);
    for (const Json item : items) {
      document(item, type, place);
      if (places != nullptr) place = places->next_item(place);
    }
  }

  void snapshot(object lists, Places::Index place) {
    for (const SnapshotList& list : kSnapshotLists) {
      array items;
      if (lists.at_key(list.key).get(items) == simdjson::SUCCESS)
        this->items(items, list.type, child(place, list.key));
    }
  }

  const Origin& origin_;
  const Snapshots snapshots_;
  const std::function<void(const Document&)>& use_;
};

}  // namespace

void for_each_item(Json root, const Origin& origin, Snapshots snapshots,
                   const std::function<void(const Document&)>& use) {
  Unfolding(origin, snapshots, use).document(root, {}, 0);
}

}  // namespace muster
