// Integrates the use of queues over time, and computes how much of it still counts.
#include "usage/history.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace muster {
namespace {

constexpr int kBucketsOfWindow = 32;

double seconds_of(Duration d) { return std::chrono::duration<double>(d).count(); }

// The integral of one unit that was held for this long until now.
double integral(const UsageSettings& settings, Duration held) {
  const double seconds = seconds_of(held), half_life = seconds_of(settings.half_life);
  if (half_life <= 0) return seconds;
  return -half_life / std::numbers::ln2 * std::expm1(-seconds / half_life * std::numbers::ln2);
}

void scale(UsageAmounts& amounts, double factor) {
  for (double& amount : amounts) amount *= factor;
}

void add_scaled(UsageAmounts& sum, const UsageAmounts& amounts, double factor) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += amounts[i] * factor;
}

bool is_nothing(const UsageAmounts& amounts) {
  return std::ranges::all_of(amounts, [](double amount) { return amount <= 0; });
}

}  // namespace

UsageHistory::UsageHistory(const UsageSettings& settings) : settings_(settings) {}

UsageSpan UsageHistory::span_of_bucket(TimePoint t) const {
  if (settings_.window_type != UsageWindow::kSliding)
    return {window_at(settings_, t).begin, next_reset(settings_, t).value_or(kLastTime)};
  const Duration width = std::max(settings_.window_size / kBucketsOfWindow, Duration(1));
  const Duration since_epoch = t.time_since_epoch();
  const Duration into_bucket = (since_epoch % width + width) % width;
  return {t - into_bucket, t - into_bucket + width};
}

void UsageHistory::add(TimePoint from, TimePoint to, const QueueUsage& held, const UsageAmounts& capacity) {
  const TimePoint begin = window_at(settings_, to).begin;
  forget_before(begin);
  for (from = std::max(from, begin); from < to;) {
    const TimePoint until = std::min(to, span_of_bucket(from).end);
    add_to_bucket(from, until, held, capacity);
    from = until;
  }
}

// The clock may have been set back, so the bucket may already end after `to`.
void UsageHistory::add_to_bucket(TimePoint from, TimePoint to, const QueueUsage& held,
                                 const UsageAmounts& capacity) {
  const UsageSpan span = span_of_bucket(from);
  const auto [place, is_new] = buckets_.try_emplace(span.begin, Bucket{.end = span.end, .at = to});
  Bucket& bucket = place->second;
  const TimePoint at = std::max(bucket.at, to);
  const double of_old = decayed(settings_, at - bucket.at);
  const double of_new = integral(settings_, to - from) * decayed(settings_, at - to);
  bucket.at = at;
  scale(bucket.capacity, of_old);
  add_scaled(bucket.capacity, capacity, of_new);
  for (auto& [queue, use] : bucket.use) scale(use, of_old);
  for (const auto& [queue, amounts] : held)
    if (!is_nothing(amounts)) add_scaled(bucket.use[queue], amounts, of_new);
}

void UsageHistory::forget_before(TimePoint begin) {
  std::erase_if(buckets_, [&](const auto& entry) { return entry.second.end <= begin; });
}

double UsageHistory::weight_of(TimePoint begin, const Bucket& bucket, TimePoint now) const {
  const TimePoint window = window_at(settings_, now).begin;
  if (bucket.end <= window || begin > now) return 0;
  const double part = begin >= window ? 1 : seconds_of(bucket.end - window) / seconds_of(bucket.end - begin);
  return part * decayed(settings_, std::max(now - bucket.at, Duration::zero()));
}

QueueUsage UsageHistory::shares(TimePoint now) const {
  UsageAmounts capacity{};
  QueueUsage shares;
  for (const auto& [begin, bucket] : buckets_) {
    const double weight = weight_of(begin, bucket, now);
    if (weight <= 0) continue;
    add_scaled(capacity, bucket.capacity, weight);
    for (const auto& [queue, use] : bucket.use) add_scaled(shares[queue], use, weight);
  }
  for (auto& [queue, share] : shares)
    for (std::size_t i = 0; i < share.size(); ++i) share[i] = capacity[i] > 0 ? share[i] / capacity[i] : 0;
  return shares;
}

}  // namespace muster
