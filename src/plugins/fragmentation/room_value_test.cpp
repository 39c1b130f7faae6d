// The value of free GPUs, checked on numbers that can be worked out by hand and against a brute-force count.
#include "plugins/fragmentation/room_value.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace muster::plugins {
namespace {

Wish share(int hundredths, double weight, std::int64_t cpu = 0) {
  return {.cpu = cpu, .hundredths = hundredths, .weight = weight, .frequency = weight};
}
Wish whole(int devices, double weight, std::int64_t cpu = 0) {
  return {.cpu = cpu, .devices = devices, .weight = weight, .frequency = weight};
}
Room parts(std::initializer_list<std::uint8_t> free) { return {.cpu = 1000, .memory = 1, .parts = free}; }

TEST(RoomValue, IsThePartOfADeviceThatWillBeUsed) {
  const RoomValue halves({share(50, 1)});
  EXPECT_DOUBLE_EQ(halves.value(parts({100})), 1);
  EXPECT_DOUBLE_EQ(halves.value(parts({50})), 0.5);
  EXPECT_DOUBLE_EQ(halves.value(parts({70})), 0.75 * 0.5 + 0.25 * 0.7);  // no pod can use the rest
  EXPECT_DOUBLE_EQ(halves.value(parts({40})), 0.25 * 0.4);
  EXPECT_DOUBLE_EQ(halves.value({}), 0);
}

TEST(RoomValue, GpusThatFewPodsCanUseAreWorthLess) {
  const RoomValue mixed({share(20, 0.1), share(50, 0.9)});
  EXPECT_LT(mixed.value(parts({20})) / 0.2, mixed.value(parts({50})) / 0.5);
}

// One pod in ten uses a share. A device waits long for two of them; two half-free devices wait for one each.
TEST(RoomValue, ADeviceIsWorthAtLeastItsParts) {
  const RoomValue rare({share(50, 0.1), whole(2, 0.9)});
  const double half = 0.1 * 0.5 / (1 - 0.97 * 0.9);
  EXPECT_DOUBLE_EQ(rare.loss_of_part(1000, 50, 50), half);
  EXPECT_DOUBLE_EQ(rare.loss_of_part(1000, 100, 50), half);
  EXPECT_DOUBLE_EQ(rare.loss_of_whole(1000, 1, 50), half);            // a tie
  EXPECT_DOUBLE_EQ(rare.loss_of_whole(1000, 2, 50), half + 2 * 0.9);  // two devices had room for a pair
  EXPECT_DOUBLE_EQ(rare.value(parts({100})), rare.value(parts({50, 50})));
}

TEST(RoomValue, DevicesOfOneNodeServePodsThatNeedSeveral) {
  const RoomValue pairs({whole(2, 1)});
  const Room one{.cpu = 1000, .memory = 1, .whole = 1}, two{.cpu = 1000, .memory = 1, .whole = 2};
  EXPECT_DOUBLE_EQ(pairs.value(one), 0.25);
  EXPECT_DOUBLE_EQ(pairs.value(two), 2);
}

TEST(RoomValue, GpusWithoutCpuAreWorthNothing) {
  const RoomValue value({whole(1, 1, 8000)});
  EXPECT_DOUBLE_EQ(value.value({.cpu = 16'000, .memory = 1, .whole = 2}), 2);
  EXPECT_DOUBLE_EQ(value.value({.cpu = 8'000, .memory = 1, .whole = 2}), 0.75 * 2 + 0.25 * 1);
  EXPECT_DOUBLE_EQ(value.value({.cpu = 4'000, .memory = 1, .whole = 2}), 0.25 * 0.5);
  EXPECT_DOUBLE_EQ(value.value({.cpu = -1, .memory = 1, .whole = 2}), 0);
}

TEST(RoomValue, FragmentationIsTheMeanOfWhatPodsCannotUse) {
  const RoomValue mixed({share(50, 0.5), whole(1, 0.25), whole(2, 0.25)});
  EXPECT_DOUBLE_EQ(mixed.fragmented(parts({60})), 0.6 * 0.5);
  EXPECT_DOUBLE_EQ(mixed.fragmented(parts({40})), 0.4);
  EXPECT_DOUBLE_EQ(mixed.fragmented({.cpu = 1, .whole = 1}), 0.25);
  EXPECT_DOUBLE_EQ(mixed.fragmented({.cpu = 1, .whole = 2}), 0);
  EXPECT_DOUBLE_EQ(mixed.fragmented({.cpu = -1, .whole = 2}), 2);
}

// ---------------------------------------------------------------- brute force

// Offers the device to every pod, then the remainder; or cuts the device in two where that is worth more.
double brute_force_use(const std::vector<Wish>& wishes, std::int64_t cpu, int free,
                       std::map<int, double>& known) {
  if (const auto found = known.find(free); found != known.end()) return found->second;
  double fits = 0, taken = 0;
  for (const Wish& wish : wishes) {
    if (wish.devices > 1 || wish.cpu > cpu || wish.hundredths > free) continue;
    fits += wish.weight;
    taken +=
        wish.weight * (wish.hundredths / 100.0 + brute_force_use(wishes, cpu, free - wish.hundredths, known));
  }
  double best = taken / (1 - 0.97 * (1 - fits));
  for (int cut = 1; cut < free; ++cut)
    best = std::max(
        best, brute_force_use(wishes, cpu, cut, known) + brute_force_use(wishes, cpu, free - cut, known));
  return known[free] = best;
}

// The part of the pods that this much CPU or memory per free GPU serves.
double served(const std::vector<Wish>& wishes, double per_gpu, std::int64_t Wish::*amount) {
  double sum = 0;
  for (const Wish& wish : wishes) {
    const double need = static_cast<double>(wish.*amount) / (wish.devices * wish.hundredths / 100.0);
    sum += need <= per_gpu ? wish.weight : std::max(0.0, per_gpu) / need * wish.weight;
  }
  return per_gpu < 0 ? 0 : sum;
}

double brute_force_value(const std::vector<Wish>& wishes, const Room& room) {
  double used = 0, free = room.whole;
  std::map<int, double> known;
  const auto use = [&](int part) { return brute_force_use(wishes, room.cpu, part, known); };
  for (std::uint8_t part : room.parts) used += use(part), free += part / 100.0;
  used += room.whole * use(100);
  for (const Wish& wish : wishes)
    if (wish.devices > 1 && wish.cpu <= room.cpu && wish.devices <= room.whole)
      used += room.whole * wish.weight;
  if (free == 0) return 0;
  const double supplied = std::min(served(wishes, static_cast<double>(room.cpu) / free, &Wish::cpu),
                                   served(wishes, static_cast<double>(room.memory) / free, &Wish::memory));
  return 0.75 * used + 0.25 * free * supplied;
}

// The best of all devices, found by trying each.
double best_with_share(const std::vector<Wish>& wishes, const Room& room, int hundredths) {
  double best = -1;
  const auto consider = [&](const Room& left) { best = std::max(best, brute_force_value(wishes, left)); };
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    if (room.parts[i] < hundredths) continue;
    Room left = room;
    left.parts[i] = static_cast<std::uint8_t>(left.parts[i] - hundredths);
    consider(left);
  }
  if (room.whole > 0) {
    Room left = room;
    --left.whole;
    left.parts.push_back(static_cast<std::uint8_t>(100 - hundredths));
    consider(left);
  }
  return best;
}

class RandomRooms : public testing::Test {
 protected:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::vector<Wish> wishes() {
    std::vector<Wish> list;
    const int count = 1 + below(6);
    for (int i = 0; i < count; ++i) {
      const bool is_share = below(2) == 0;
      list.push_back({.cpu = below(5) * std::int64_t{1000},
                      .memory = below(4) * std::int64_t{100},
                      .devices = is_share ? 1 : 1 + below(3),
                      .hundredths = is_share ? 15 + below(86) : 100,
                      .weight = 1.0 / count / (1 + below(2))});
    }
    return list;
  }
  Room room() {
    Room room{.cpu = below(9) * 1000 - 1000, .memory = below(1000), .whole = below(4)};
    for (int i = below(4); i > 0; --i) room.parts.push_back(static_cast<std::uint8_t>(1 + below(99)));
    return room;
  }
  std::mt19937 random_{7};
};

TEST_F(RandomRooms, TablesAgreeWithBruteForce) {
  for (int i = 0; i < 500; ++i) {
    const std::vector<Wish> list = wishes();
    const RoomValue value(list);
    const Room at = room();
    ASSERT_NEAR(value.value(at), brute_force_value(list, at), 1e-9);
  }
}

TEST_F(RandomRooms, AShareGoesToTheDeviceThatLosesLeast) {
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    const std::vector<Wish> list = wishes();
    const RoomValue value(list);
    const Room at = room();
    const int size = 10 + below(91);
    const double best = best_with_share(list, at, size);
    if (best < 0) continue;
    ASSERT_NEAR(value.value_with_share(at, size, 1), best, 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST_F(RandomRooms, OpeningADeviceIsNeverBetterThanFillingOneCompletely) {
  for (int i = 0; i < 500; ++i) {
    const RoomValue value(wishes());
    const std::int64_t cpu = below(5) * std::int64_t{1000};
    const int size = 1 + below(99);
    ASSERT_GE(value.loss_of_whole(cpu, 1 + below(8), size), value.loss_of_part(cpu, size, size) - 1e-9);
  }
}

}  // namespace
}  // namespace muster::plugins
