// Values the free GPUs of a node, in GPUs: how much of them typical pods will use. docs/placement.md has a
// worked example.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace muster::plugins {

// The free resources of a node.
struct Room {
  std::int64_t cpu = 0, memory = 0;
  int whole = 0;                               // devices that no pod uses
  absl::InlinedVector<std::uint8_t, 8> parts;  // free hundredths of the shared devices

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
  double weight = 0;     // how frequent it is, and how few GPUs it can use
  double frequency = 0;  // its part of all pods with GPUs
};

class RoomValue {
 public:
  // Creates the value for nodes that can take exactly the pods with these wishes.
  explicit RoomValue(std::vector<Wish> wishes);

  // The part of the free GPUs that typical pods will use.
  double value(const Room& room) const;
  // The same value after a share of `hundredths` of each of `devices` devices was placed on the best devices
  // that fit. The CPU and memory of the share must be subtracted from `room` already.
  double value_with_share(const Room& room, int hundredths, int devices) const;
  // The loss if a share is placed on a shared device that has `free` hundredths free.
  double loss_of_part(std::int64_t cpu, int free, int share) const;
  // The loss if one of the whole devices begins to be shared.
  double loss_of_whole(std::int64_t cpu, int whole, int share) const;
  // The mean over typical pods of the GPUs that they cannot use.
  double fragmented(const Room& room) const;

 private:
  static constexpr int kMostDevices = 64;
  struct Table {
    std::array<double, 101> use{};    // by free hundredths: the part that single-device pods will use
    std::array<double, 101> reach{};  // by free hundredths: frequency of the pods that fit
    std::vector<double> together;     // by whole devices: weight of the pods that need several and find them
    std::vector<double> reach_together;
  };
  // The part of the wishes, by weight, that an amount per free GPU serves. Rises in straight pieces.
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

  std::vector<Wish> wishes_;                            // sorted by CPU
  std::vector<std::int64_t> steps_;                     // distinct CPU amounts of the wishes, ascending
  mutable std::vector<std::unique_ptr<Table>> tables_;  // by the number of steps that the free CPU covers
  Ramp cpu_, memory_;
};

}  // namespace muster::plugins
