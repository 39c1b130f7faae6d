// Which devices containers get for requested amounts, from which class, and how the claim is named.
#include "model/extended_resources.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

const std::vector<BackedResource> kNics = {{"example.com/nic", "example.com/nic", "nics"}};

ContainerRequest container(std::int64_t nics, bool runs_before = false) {
  ContainerRequest made{.runs_before = runs_before, .amounts = {{"cpu", 500}}};
  if (nics > 0) made.amounts.push_back({"example.com/nic", nics * 1000});
  return made;
}

std::string text_of(const ContainerDevices& devices) {
  std::string text;
  for (const DeviceRequest& r : devices.requests)
    text += fmt::format("{} {}x{}; ", r.name, r.count, r.device_class);
  for (const RequestUse& u : devices.uses) text += fmt::format("{}:{} ", u.container, u.request);
  return text;
}

TEST(ExtendedResources, ParallelContainersGetTheirOwnDevicesAndInitContainersReuseThem) {
  struct Case {
    std::vector<ContainerRequest> containers;
    std::string expected;
  };
  for (const Case& row : {
           Case{{container(2)}, "container-0-request-1 2xnics; 0:container-0-request-1 "},
           {{container(0)}, ""},
           {{container(1), container(0), container(3)},
            "container-0-request-1 1xnics; container-2-request-1 3xnics; 0:container-0-request-1 "
            "2:container-2-request-1 "},
           // An init container ends before the other containers start, so they reuse its devices.
           {{container(1, true), container(2)},
            "container-1-request-1 2xnics; 1:container-1-request-1 0:container-1-request-1 "},
           {{container(3, true), container(5, true), container(1)},
            "container-1-request-1 4xnics; container-2-request-1 1xnics; 2:container-2-request-1 "
            "0:container-2-request-1 1:container-2-request-1 0:container-1-request-1 "
            "1:container-1-request-1 "},
           // A sidecar that started earlier keeps its devices.
           {{container(1), container(1, true), container(0)},
            "container-0-request-1 1xnics; container-1-request-1 1xnics; 0:container-0-request-1 "
            "1:container-1-request-1 "},
       })
    EXPECT_EQ(text_of(devices_for(row.containers, kNics)), row.expected);
}

TEST(ExtendedResources, TheNewestClassBacksAName) {
  KeptObjects kept;
  const auto add = [&](std::string name, std::string resource, int created) {
    kept.put(DeviceClassObject{.meta = {.name = std::move(name), .created = TimePoint() + Duration(created)},
                               .extended_resource = std::move(resource)});
  };
  add("b", "example.com/nic", 1);
  add("a", "example.com/nic", 1);
  add("c", "example.com/nic", 0);
  add("d", "", 9);
  const auto name = [&](std::string_view resource) {
    const auto* found = class_behind(kept, resource);
    return found == nullptr ? "" : found->meta.name;
  };
  EXPECT_EQ(name("example.com/nic"), "a");
  EXPECT_EQ(name("deviceclass.resource.kubernetes.io/d"), "d");
  EXPECT_EQ(name("deviceclass.resource.kubernetes.io/e"), "");
  EXPECT_EQ(name("example.com/other"), "");
  EXPECT_EQ(name("d"), "");
  EXPECT_EQ(name(""), "");
}

TEST(ExtendedResources, ClaimNamesAreValidAndUniquePerPod) {
  const std::string name = container_claim_name("p", "uid-1");
  EXPECT_EQ(name, container_claim_name("p", "uid-1"));
  EXPECT_NE(name, container_claim_name("p", "uid-2"));
  EXPECT_TRUE(name.starts_with("p-extended-resources-"));
  const std::string longest = container_claim_name(fmt::format("{:a<219}.{:b<33}", "", ""), "u");
  EXPECT_LE(longest.size(), 253u);
  EXPECT_EQ(longest.find(".-"), std::string::npos);
}

}  // namespace
}  // namespace muster
