// The number of scaling pods for pending shares, and their names.
#include "serve/write/scaling_pods.hpp"

#include <gtest/gtest.h>

namespace muster::serve {
namespace {

using Chosen = std::vector<std::size_t>;

WaitingShare share(std::int64_t thousandths, std::int64_t devices = 1, bool has_pod = false) {
  return {.ns = "ns", .pod = "p", .devices = devices, .thousandths = thousandths, .has_pod = has_pod};
}

TEST(ScalingPods, RequestAsManyWholeGpusAsTheSharesNeed) {
  EXPECT_EQ(shares_to_scale_for({}, {}), Chosen{});
  EXPECT_EQ(shares_to_scale_for({share(500)}, {}), Chosen{0});
  EXPECT_EQ(shares_to_scale_for({share(500), share(500)}, {}), Chosen{0});
  EXPECT_EQ(shares_to_scale_for({share(500), share(500), share(100)}, {}), (Chosen{0, 1}));
}

TEST(ScalingPods, ExistingScalingPodsCount) {
  EXPECT_EQ(shares_to_scale_for({share(500, 1, true), share(500)}, {1}), Chosen{});
  EXPECT_EQ(shares_to_scale_for({share(500, 1, true), share(600)}, {1}), Chosen{1});
}

TEST(ScalingPods, AShareOfSeveralDevicesNeedsOneNode) {
  EXPECT_EQ(shares_to_scale_for({share(500, 1, true), share(500, 1, true), share(400, 4)}, {1, 1}),
            Chosen{2});
  EXPECT_EQ(shares_to_scale_for({share(400, 4), share(500)}, {}), Chosen{0});
}

TEST(ScalingPods, HaveADeterministicName) {
  EXPECT_EQ(scaling_name("a", "b"), scaling_name("a", "b"));
  EXPECT_NE(scaling_name("a-b", "c"), scaling_name("a", "b-c"));
}

}  // namespace
}  // namespace muster::serve
