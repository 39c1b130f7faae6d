// Maps nodes to small numbers that represent the value of a label; one column of numbers per label.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string>

#include "model/cluster.hpp"

namespace muster {

using LabelKeyId = Id<struct LabelKeyTag>;
using DomainId = Id<struct DomainTag>;  // a value of one label

class LabelDomains {
 public:
  explicit LabelDomains(const Cluster& cluster) : cluster_(cluster) {}

  // The first call for a label costs a pass over all nodes.
  LabelKeyId add(const std::string& label) {
    const auto [found, is_new] = keys_.try_emplace(label, columns_.end_id());
    if (is_new) columns_.push_back(column_of(label));
    return found->second;
  }
  // Not valid if the node lacks the label.
  DomainId of(LabelKeyId key, NodeId node) const { return columns_[key][node]; }

 private:
  using Column = IdVector<NodeId, DomainId>;

  Column column_of(const std::string& label) const {
    Column column(cluster_.nodes().size());
    absl::flat_hash_map<std::string, DomainId> values;
    for (NodeId n : cluster_.nodes_by_name())
      if (const std::string* value = cluster_.node(n).label(label))
        column[n] = values.try_emplace(*value, DomainId(values.size())).first->second;
    return column;
  }

  const Cluster& cluster_;
  absl::flat_hash_map<std::string, LabelKeyId> keys_;
  IdVector<LabelKeyId, Column> columns_;
};

}  // namespace muster
