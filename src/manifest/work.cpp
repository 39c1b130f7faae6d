// Reads the annotations about the work of a pod or job in simulated time.
#include <fmt/format.h>

#include <algorithm>

#include "manifest/parts.hpp"
#include "util/keys.hpp"
#include "util/printable.hpp"

namespace muster {
namespace {

bool is_too_long(const Field& annotation, Duration longest) {
  if (longest > kLongestWork)
    annotation.warn(
        fmt::format("\"{}\" is longer than 100 years; ignored", beginning_of(annotation.text(), 80)));
  return longest > kLongestWork;
}

std::optional<Duration> span_in(const Field& annotation) {
  const auto span = annotation.duration();
  return span && is_too_long(annotation, *span) ? std::nullopt : span;
}

void read_run_time(const Field& annotation, std::optional<RunTime>& into) {
  if (!annotation.is_present()) return;
  into = parse_run_time(annotation.text());
  if (!into)
    annotation.warn(
        fmt::format("\"{}\" is not a duration such as 2h, exp(2h), uniform(1h,3h) or "
                    "lognormal(median=2h,p90=8h); ignored",
                    beginning_of(annotation.text(), 80)));
  else if (is_too_long(annotation, std::max(into->first, into->second)))
    into.reset();
}

// Refuses zero, because repeating something every 0 s would never end.
void read_positive(const Field& annotation, std::optional<Duration>& into) {
  into = annotation.duration();
  if (!into || *into > Duration::zero()) return;
  annotation.warn("is zero; ignored");
  into.reset();
}

}  // namespace

bool read_work_annotation(const Field& annotation, Work& work) {
  const std::string_view key = annotation.key();
  if (key == keys::kDuration)
    read_run_time(annotation, work.duration);
  else if (key == keys::kWork)
    work.work = span_in(annotation);
  else if (key == keys::kCheckpointEvery)
    read_positive(annotation, work.checkpoint_every);
  else if (key == keys::kRestartCost)
    work.restart_cost = span_in(annotation);
  else if (key == keys::kFailsAfter)
    work.fails_after = annotation.duration();
  else
    return false;
  return true;
}

}  // namespace muster
