// Planned events by time. Events at the same time are ordered by kind, then by the order of planning.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "util/time.hpp"

namespace muster {

// In the order in which events at the same time happen.
enum class EventKind : std::uint8_t {
  kPodStarts,
  kPodIsGone,
  kJobChanges,
  kNodeIsBack,
  kNodeFails,
  kStep,
  kController
};

struct Event {
  TimePoint at{};
  EventKind kind = EventKind::kJobChanges;
  std::uint64_t number = 0;   // order of planning
  std::uint32_t subject = 0;  // index of the subject; its meaning depends on the kind
  std::uint32_t pod = 0;      // pod of the subject, if the event concerns one
  std::uint64_t version = 0;  // version of the subject; if it has changed since, the event is dropped
};

class EventQueue {
 public:
  void plan(TimePoint at, EventKind kind, std::uint32_t subject, std::uint64_t version = 0,
            std::size_t pod = 0) {
    events_.push({at, kind, number_++, subject, static_cast<std::uint32_t>(pod), version});
  }
  bool empty() const { return events_.empty(); }
  const Event& first() const { return events_.top(); }
  Event take() {
    Event event = events_.top();
    events_.pop();
    return event;
  }
  void drop() { events_.pop(); }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      if (a.at != b.at) return a.at > b.at;
      if (a.kind != b.kind) return a.kind > b.kind;
      return a.number > b.number;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t number_ = 0;
};

}  // namespace muster
