// Sums, floors and defaults of resource lists, and the speed of long lists.
#include "manifest/amounts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "manifest/testing.hpp"

namespace muster {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(Amounts, AreAddedNameByName) {
  Amounts amounts{{"b", 1}, {"d", kMost}};
  add(amounts, {{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}});
  EXPECT_EQ(text_of(amounts), "a 1, b 3, c 3, d " + std::to_string(kMost) + ", e 5");
  add(amounts, "bb", 7);
  add(amounts, "bb", 1);
  EXPECT_EQ(units_of(amounts, "bb"), 8);
  EXPECT_EQ(units_of(amounts, "x"), 0);
}

TEST(Amounts, AreRaisedAndCompleted) {
  Amounts amounts{{"b", 5}, {"c", 0}};
  raise(amounts, {{"a", 1}, {"b", 2}, {"c", 3}});
  EXPECT_EQ(text_of(amounts), "a 1, b 5, c 3");
  complete(amounts, {{"0", 9}, {"b", 9}, {"z", 9}});
  EXPECT_EQ(text_of(amounts), "0 9, a 1, b 5, c 3, z 9");
}

TEST(Amounts, OfSeveralVendorsAreOneWhateverTheOrder) {
  const Collected c = decoded(R"(
apiVersion: v1
kind: Node
metadata: {name: n}
status: {allocatable: {nvidia.com/gpu: 2, memory: 1, amd.com/gpu: 3, cpu: 1}}
)");
  EXPECT_EQ(text_of(c.all<NodeObject>().front().allocatable), "cpu 1000, memory 1, nvidia.com/gpu 5000");
}

// The names come in the order that is worst for lists kept sorted name by name. An insertion that scans the
// list for every name would take minutes here.
TEST(Amounts, OfAHundredThousandNamesInOnePodAreReadAtOnce) {
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back("example.com/r" + std::to_string(i));
  std::ranges::shuffle(names, std::minstd_rand(1));
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ",\"") + name + "\":\"1\"";
  const std::string container =
      R"({"name":"m","resources":{"requests":{)" + list + R"(},"limits":{)" + list + "}}}";
  const std::string pod = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"overhead":{)" +
                          list + R"(},"initContainers":[)" + container + R"(],"containers":[)" + container +
                          "," + container + "]}}";
  const Collected c = decoded(pod, "p.json");
  ASSERT_EQ(c.all<PodObject>().size(), 1U);
  EXPECT_EQ(c.all<PodObject>().front().requests.size(), 100'000U);
  EXPECT_EQ(c.all<PodObject>().front().requests.front().units, 3000);
}

}  // namespace
}  // namespace muster
