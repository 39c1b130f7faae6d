// Allocations and amounts in the form of the API.
#include "answers/api_forms.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/device_objects.hpp"

namespace muster::answers {
namespace {

TEST(AllocationJson, ContainsDevicesAndTheirNodeSelector) {
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

TEST(AllocationJson, ContainsAdminAccessOnlyIfUsed) {
  const AllocationObject allocation{.devices = {{.request = "look", .admin_access = true}}};
  EXPECT_EQ(to_json(allocation)["devices"]["results"][0]["adminAccess"], true);
  EXPECT_FALSE(to_json(allocation).contains("nodeSelector"));
}

TEST(ApiFormsTest, AClaimWithOtherDevicesIsRecognized) {
  const AllocationObject ours{.devices = {{.request = "nic", .driver = "d", .pool = "p", .device = "nic-0"}}};
  nlohmann::json claim = {{"status", nlohmann::json::object()}};
  EXPECT_FALSE(has_other_devices(claim, ours));
  claim["status"]["allocation"] = to_json(ours);
  EXPECT_FALSE(has_other_devices(claim, ours)) << "the claim already has these devices";
  claim["status"]["allocation"]["devices"]["results"][0]["device"] = "nic-1";
  EXPECT_TRUE(has_other_devices(claim, ours));
}

TEST(ApiFormsTest, RemovingTheLastUserReleasesTheDevices) {
  nlohmann::json claim = {{"status",
                           {{"allocation", {{"devices", nlohmann::json::object()}}},
                            {"reservedFor", {{{"uid", "a"}}, {{"uid", "b"}}}}}}};
  EXPECT_FALSE(remove_user(claim, "c"));
  EXPECT_TRUE(remove_user(claim, "a"));
  EXPECT_TRUE(claim["status"].contains("allocation"));
  EXPECT_TRUE(remove_user(claim, "b"));
  EXPECT_FALSE(claim["status"].contains("allocation"));
  EXPECT_TRUE(claim["status"]["reservedFor"].empty());
}

TEST(ApiForms, AmountsAreQuantities) {
  EXPECT_EQ(to_json(Charge{{1500, 3LL << 30, 2000}}),
            nlohmann::json::parse(R"({"cpu": "1500m", "memory": "3Gi", "nvidia.com/gpu": "2"})"));
  EXPECT_EQ(to_json(Charge{{0, 1000, 500}}),
            nlohmann::json::parse(R"({"cpu": "0", "memory": "1000", "nvidia.com/gpu": "500m"})"));
  EXPECT_EQ(to_json(Shares{2000, 1024, 0.25}),
            nlohmann::json::parse(R"({"cpu": "2", "memory": "1Ki", "nvidia.com/gpu": "250m"})"));
  EXPECT_EQ(to_json(Shares{-1, 1e300, 0}).at("cpu"), "0");
}

}  // namespace
}  // namespace muster::answers
