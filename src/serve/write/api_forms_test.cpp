// Allocations as the API server is to see them.
#include "serve/write/api_forms.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/device_objects.hpp"

namespace muster::serve {
namespace {

TEST(AllocationJson, DevicesAndTheNodesThatReachThem) {
  const AllocationObject allocation{
      .devices = {{.request = "gpu", .driver = "gpu.example.com", .pool = "n1", .device = "gpu-0"}},
      .has_selector = true,
      .selector = {{.labels = {{.key = "zone", .op = Operator::kNotIn, .values = {"a"}}},
                    .fields = {{.key = "metadata.name", .op = Operator::kIn, .values = {"n1"}}}}}};
  EXPECT_EQ(to_json(allocation), nlohmann::json::parse(R"({
      "devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "n1", "device": "gpu-0"}]},
      "nodeSelector": {"nodeSelectorTerms": [
          {"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}],
           "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}})"));
}

TEST(AllocationJson, AdminAccessIsNamedWhereItIsUsed) {
  const AllocationObject allocation{.devices = {{.request = "look", .admin_access = true}}};
  EXPECT_EQ(to_json(allocation)["devices"]["results"][0]["adminAccess"], true);
  EXPECT_FALSE(to_json(allocation).contains("nodeSelector"));
}

}  // namespace
}  // namespace muster::serve
