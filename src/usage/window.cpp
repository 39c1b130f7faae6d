// Sliding, tumbling and cron windows.
#include "usage/window.hpp"

#include <cmath>

#include "util/int128.hpp"

namespace muster {
namespace {

// The latest of start, start + size, start + 2·size … that is not after now. The difference of two times may
// exceed the range of Duration.
TimePoint latest_multiple(TimePoint start, Duration size, TimePoint now) {
  const Int128 passed = Int128(now.time_since_epoch().count()) - start.time_since_epoch().count();
  const Int128 into_window = passed % size.count();
  return now - Duration(static_cast<std::int64_t>(into_window));
}

TimePoint begin_of_window(const UsageSettings& s, TimePoint now) {
  switch (s.window_type) {
    case UsageWindow::kTumbling:
      return *s.tumbling_start > now ? now : latest_multiple(*s.tumbling_start, s.window_size, now);
    case UsageWindow::kCron:
      return s.cron->last(now);
    case UsageWindow::kSliding:
      break;
  }
  return now - s.window_size;
}

double in_seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// The rest of a share that was computed at `then`, after no use for the time `idle`.
double left_after(const UsageSettings& s, TimePoint then, Duration idle) {
  const bool slides = s.window_type == UsageWindow::kSliding;
  if (slides && idle >= s.window_size) return 0;
  if (s.half_life > Duration::zero()) return decayed(s, idle);
  if (slides) return 1 - in_seconds(idle) / in_seconds(s.window_size);
  const Duration counted = then - window_at(s, then).begin;
  return in_seconds(counted) / in_seconds(counted + idle);
}

}  // namespace

UsageSpan window_at(const UsageSettings& settings, TimePoint now) {
  return {begin_of_window(settings, now), now};
}

std::optional<TimePoint> next_reset(const UsageSettings& s, TimePoint now) {
  switch (s.window_type) {
    case UsageWindow::kTumbling:
      return *s.tumbling_start > now ? *s.tumbling_start : begin_of_window(s, now) + s.window_size;
    case UsageWindow::kCron:
      return s.cron->next(now);
    case UsageWindow::kSliding:
      break;
  }
  return std::nullopt;
}

double decayed(const UsageSettings& settings, Duration age) {
  if (settings.half_life <= Duration::zero()) return 1;
  return std::exp2(-in_seconds(age) / in_seconds(settings.half_life));
}

double remaining_share(const UsageSettings& s, TimePoint then, TimePoint now) {
  if (!s.fades_when_stale) return 1;
  const bool tumbles = s.window_type != UsageWindow::kSliding;
  if (tumbles && window_at(s, then).begin < window_at(s, now).begin) return 0;
  const Duration idle = now - then - staleness_of(s);
  return idle <= Duration::zero() ? 1 : left_after(s, then, idle);
}

}  // namespace muster
