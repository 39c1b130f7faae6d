// Keeps one table per amount of free CPU, because pods that do not get their CPU cannot use the GPUs either.
#include "plugins/fragmentation/room_value.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace muster::plugins {
namespace {

// How long a device waits for pods to fill it: each further typical pod counts this much as the one before
// it.
constexpr double kPatience = 0.97;
// The share of the value that depends on CPU and memory per free GPU rather than on request sizes.
constexpr double kSupplyPart = 0.25;

std::vector<Wish> by_cpu(std::vector<Wish> wishes) {
  std::stable_sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) { return a.cpu < b.cpu; });
  return wishes;
}

double gpus_of(const Wish& wish) { return wish.devices * wish.hundredths / 100.0; }

}  // namespace

RoomValue::RoomValue(std::vector<Wish> wishes)
    : wishes_(by_cpu(std::move(wishes))), cpu_(wishes_, &Wish::cpu), memory_(wishes_, &Wish::memory) {
  for (const Wish& wish : wishes_)
    if (steps_.empty() || steps_.back() != wish.cpu) steps_.push_back(wish.cpu);
  tables_.resize(steps_.size() + 1);
}

// ---------------------------------------------------------------- tables

const RoomValue::Table& RoomValue::table(std::int64_t cpu) const {
  const auto covered =
      static_cast<std::size_t>(std::upper_bound(steps_.begin(), steps_.end(), cpu) - steps_.begin());
  auto& table = tables_[covered];
  if (table == nullptr) {
    table = std::make_unique<Table>();
    fill(*table, covered == 0 ? -1 : steps_[covered - 1]);
  }
  return *table;
}

// Offers a device to the typical pods one after the other. The first that fits takes its part, and the
// remainder is offered again. `use` is the amount that they take in total, with each further pod counting a
// little less. Parts of a device are offered at the same time, a whole device to one pod after the other, so
// parts could seem to be worth more. But what fits the parts also fits the whole device, so its value is at
// least theirs.
void RoomValue::fill(Table& table, std::int64_t most_cpu) const {
  std::array<double, 101> weight{}, frequency{};
  table.together.assign(kMostDevices + 1, 0);
  table.reach_together.assign(kMostDevices + 1, 0);
  for (const Wish& wish : wishes_) {
    if (wish.cpu > most_cpu) break;
    if (wish.devices > 1 && wish.hundredths == 100) {
      const auto devices = static_cast<std::size_t>(std::min(wish.devices, kMostDevices));
      table.together[devices] += wish.weight;
      table.reach_together[devices] += wish.frequency;
    } else {
      weight[static_cast<std::size_t>(wish.hundredths)] += wish.weight;
      frequency[static_cast<std::size_t>(wish.hundredths)] += wish.frequency;
    }
  }
  for (std::size_t n = 1; n <= kMostDevices; ++n) {
    table.together[n] += table.together[n - 1];
    table.reach_together[n] += table.reach_together[n - 1];
  }
  for (std::size_t free = 1; free <= 100; ++free) {
    double fits = 0, taken = 0;
    table.reach[free] = table.reach[free - 1] + frequency[free];
    for (std::size_t size = 1; size <= free; ++size) {
      if (weight[size] == 0) continue;
      fits += weight[size];
      taken += weight[size] * (static_cast<double>(size) / 100 + table.use[free - size]);
    }
    table.use[free] = taken / (1 - kPatience * (1 - fits));
    for (std::size_t part = 1; part <= free / 2; ++part)
      table.use[free] = std::max(table.use[free], table.use[part] + table.use[free - part]);
  }
}

// ---------------------------------------------------------------- ramps

RoomValue::Ramp::Ramp(std::span<const Wish> wishes, std::int64_t Wish::*amount) {
  struct Need {
    double per_gpu, weight;
  };
  std::vector<Need> needs;
  for (const Wish& wish : wishes)
    if (gpus_of(wish) > 0) needs.push_back({static_cast<double>(wish.*amount) / gpus_of(wish), wish.weight});
  std::stable_sort(needs.begin(), needs.end(),
                   [](const Need& a, const Need& b) { return a.per_gpu < b.per_gpu; });
  double slope = 0, base = 0;
  for (const Need& need : needs)
    if (need.per_gpu > 0) slope += need.weight / need.per_gpu;
  pieces_.push_back({0, 0, slope});
  for (const Need& need : needs) {
    base += need.weight;
    if (need.per_gpu > 0) slope -= need.weight / need.per_gpu;
    if (pieces_.back().from == need.per_gpu) pieces_.pop_back();
    pieces_.push_back({need.per_gpu, base, slope});
  }
}

double RoomValue::Ramp::at(double per_gpu) const {
  const auto above = std::upper_bound(pieces_.begin(), pieces_.end(), per_gpu,
                                      [](double x, const Piece& piece) { return x < piece.from; });
  if (above == pieces_.begin()) return 0;
  const Piece& piece = *std::prev(above);
  return piece.base + piece.slope * per_gpu;
}

// ---------------------------------------------------------------- values

namespace {

double free_gpus(const Room& room) {
  int parts = 0;
  for (std::uint8_t part : room.parts) parts += part;
  return room.whole + parts / 100.0;
}

}  // namespace

double RoomValue::supplied(const Room& room, double free) const {
  return free * std::min(cpu_.at(static_cast<double>(room.cpu) / free),
                         memory_.at(static_cast<double>(room.memory) / free));
}

double RoomValue::blend(const Room& room, double used, double free) const {
  return free <= 0 ? 0 : (1 - kSupplyPart) * used + kSupplyPart * supplied(room, free);
}

namespace {

template <class Table>
double used_of(const Table& table, const Room& room, std::size_t most_devices) {
  const auto whole = std::min(static_cast<std::size_t>(room.whole), most_devices);
  double used = room.whole * (table.use[100] + table.together[whole]);
  for (std::uint8_t part : room.parts) used += table.use[part];
  return used;
}

}  // namespace

double RoomValue::value(const Room& room) const {
  return blend(room, used_of(table(room.cpu), room, kMostDevices), free_gpus(room));
}

double RoomValue::value_with_share(const Room& room, int hundredths, int devices) const {
  Room left = room;
  absl::InlinedVector<std::pair<double, std::size_t>, 8>
      losses;  // a shared part, or the end of `parts` for a whole device
  for (std::size_t i = 0; i < room.parts.size(); ++i)
    if (room.parts[i] >= hundredths)
      losses.emplace_back(loss_of_part(room.cpu, room.parts[i], hundredths), i);
  if (room.whole > 0) {
    const double loss = loss_of_whole(room.cpu, room.whole, hundredths);
    for (int i = 0; i < std::min(devices, room.whole); ++i) losses.emplace_back(loss, room.parts.size());
  }
  std::sort(losses.begin(), losses.end());
  for (std::size_t i = 0; i < losses.size() && i < static_cast<std::size_t>(devices); ++i) {
    if (losses[i].second < room.parts.size()) {
      left.parts[losses[i].second] = static_cast<std::uint8_t>(left.parts[losses[i].second] - hundredths);
    } else {
      --left.whole;
      left.parts.push_back(static_cast<std::uint8_t>(100 - hundredths));
    }
  }
  return value(left);
}

double RoomValue::loss_of_part(std::int64_t cpu, int free, int share) const {
  const Table& at = table(cpu);
  return at.use[static_cast<std::size_t>(free)] - at.use[static_cast<std::size_t>(std::max(0, free - share))];
}

double RoomValue::loss_of_whole(std::int64_t cpu, int whole, int share) const {
  const Table& at = table(cpu);
  const auto together = [&](int devices) {
    return devices * at.together[static_cast<std::size_t>(std::clamp(devices, 0, kMostDevices))];
  };
  return loss_of_part(cpu, 100, share) + together(whole) - together(whole - 1);
}

double RoomValue::fragmented(const Room& room) const {
  const Table& at = table(room.cpu);
  const auto whole = static_cast<std::size_t>(std::min(room.whole, kMostDevices));
  double useless = room.whole * std::max(0.0, 1 - at.reach[100] - at.reach_together[whole]);
  for (std::uint8_t part : room.parts) useless += part / 100.0 * (1 - at.reach[part]);
  return useless;
}

}  // namespace muster::plugins
