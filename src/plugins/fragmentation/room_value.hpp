// What the free GPUs of a node are worth to typical pods, in GPUs: how much of them will be used. The worked
// example of docs/placement.md has the numbers.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace muster::plugins {

// What is free on a node.
struct Room {
  std::int64_t cpu = 0, memory = 0;
  int whole = 0;                               // devices that nobody holds
  absl::InlinedVector<std::uint8_t, 8> parts;  // hundredths of devices that are shared

  bool operator==(const Room&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Room& room) {
    return H::combine(std::move(h), room.cpu, room.memory, room.whole, room.parts);
  }
};

// A typical pod as nodes of one kind see it.
struct Wish {
  std::int64_t cpu = 0, memory = 0;
  int devices = 1;
  int hundredths = 100;  // of each device
  double weight = 0;     // how often it comes, and how few GPUs it can use
  double frequency = 0;  // how often it comes: the part of all pods with GPUs
};

class RoomValue {
 public:
  // Of nodes that can take pods with these wishes and no others.
  explicit RoomValue(std::vector<Wish> wishes);

  // The part of the free GPUs that typical pods will use.
  double value(const Room& room) const;
  // The same after a share of so many hundredths has taken its CPU and memory (`room` is what is left of
  // them) and the best of the devices that have room for it; `devices` of them.
  double value_with_share(const Room& room, int hundredths, int devices) const;
  // What a shared device with so many hundredths free would lose by a share of it.
  double loss_of_part(std::int64_t cpu, int free, int share) const;
  // What the room would lose if one of its whole devices began to be shared.
  double loss_of_whole(std::int64_t cpu, int whole, int share) const;
  // The mean over typical pods of the GPUs that they can not use.
  double fragmented(const Room& room) const;

 private:
  static constexpr int kMostDevices = 64;
  struct Table {
    std::array<double, 101> use{};    // of a device with so many hundredths free: what single devices serve
    std::array<double, 101> reach{};  // frequency of pods that it could serve
    std::vector<double> together;     // by whole devices: weight of pods that want several and find them
    std::vector<double> reach_together;
  };
  // The part of the wishes, by weight, that an amount per free GPU serves: rising, in straight pieces.
  class Ramp {
   public:
    Ramp(std::span<const Wish> wishes, std::int64_t Wish::*amount);
    double at(double per_gpu) const;

   private:
    struct Piece {
      double from, base, slope;
    };
    std::vector<Piece> pieces_;
  };

  const Table& table(std::int64_t cpu) const;
  void fill(Table& table, std::int64_t most_cpu) const;
  double supplied(const Room& room, double free) const;
  double blend(const Room& room, double used, double free) const;

  std::vector<Wish> wishes_;                            // by CPU
  std::vector<std::int64_t> steps_;                     // CPU amounts of the wishes, each once, rising
  mutable std::vector<std::unique_ptr<Table>> tables_;  // by how many steps the free CPU covers
  Ramp cpu_, memory_;
};

}  // namespace muster::plugins
