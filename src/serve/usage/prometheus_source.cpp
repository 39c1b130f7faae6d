// Sends six instant queries, one after another: capacity and use of each resource.
#include "serve/usage/prometheus_source.hpp"

#include <fmt/format.h>

#include <array>

#include "kube/api_client.hpp"
#include "kube/resource.hpp"
#include "usage/window.hpp"

namespace muster::serve {
namespace {

using std::chrono::milliseconds;

constexpr std::array kNouns = {"CPU", "memory", "GPU"};
constexpr std::array kCapacityKeys = {"cpuCapacityMetric", "memoryCapacityMetric", "gpuCapacityMetric"};
constexpr std::array kAllocationKeys = {"cpuAllocationMetric", "memoryAllocationMetric",
                                        "gpuAllocationMetric"};

std::string without_slash(std::string address) {
  while (address.ends_with('/')) address.pop_back();
  return address;
}

// Describes an unusable answer: the error message of Prometheus, otherwise the HTTP status.
std::string complaint(const kube::HttpResponse& answer, const Error& error) {
  if (!answer.body.starts_with('{')) return describe(answer);
  return fmt::format("{} {}", answer.status, error.message);
}

}  // namespace

// The values of all queries, for the same point in time.
struct PrometheusSource::Round {
  TimePoint now;
  kube::Clock::time_point deadline;
  UsageQueries queries;
  UsageSums sums = {};
  bool was_reached = false;
};

PrometheusSource::PrometheusSource(kube::Loop& loop, const UsageSettings& settings, std::string address,
                                   OwnMetrics own)
    : loop_(loop), settings_(settings), address_(without_slash(std::move(address))), own_(std::move(own)) {}

kube::Async<UsageAnswer> PrometheusSource::refresh(TimePoint now) {
  UsageAnswer answer;
  if (window_at(settings_, now).is_empty()) {
    answer.shares.emplace();
    co_return answer;
  }
  Round round{now, kube::Clock::now() + settings_.query_timeout, usage_queries(settings_, own_, now)};
  answer.trouble = co_await ask_all(&round);
  answer.was_reached = round.was_reached;
  if (answer.trouble.empty()) answer.shares = shares_of(round.sums);
  co_return answer;
}

// Returns the problem, or "" on success.
kube::Async<std::string> PrometheusSource::ask_all(Round* round) {
  for (std::size_t r = 0; r < kNouns.size(); ++r) {
    auto capacity = co_await ask(round, round->queries.capacity[r]);
    if (!capacity) co_return capacity.error().message;
    round->was_reached = true;
    if (capacity->empty())
      co_return fmt::format(
          "Prometheus has no {} capacity for this time; let it scrape muster or kube-state-metrics, or set "
          "extraParams.{}",
          kNouns[r], kCapacityKeys[r]);
    round->sums.capacity[r] = capacity->begin()->second;
    auto allocation = co_await ask(round, round->queries.allocation[r]);
    if (!allocation) co_return allocation.error().message;
    if (allocation->contains(""))
      co_return fmt::format("the metric of {} use has no label queue_name; set extraParams.{}", kNouns[r],
                            kAllocationKeys[r]);
    round->sums.allocation[r] = std::move(*allocation);
  }
  co_return "";
}

std::string PrometheusSource::url_of(const Round& round, const std::string& query) const {
  const double seconds = std::chrono::duration<double>(round.now.time_since_epoch()).count();
  return fmt::format("{}/api/v1/query?query={}&time={:.3f}&timeout={}ms", address_, kube::escaped(query),
                     seconds, std::chrono::ceil<milliseconds>(settings_.query_timeout).count());
}

kube::Async<Result<PrometheusSource::Values>> PrometheusSource::ask(const Round* round, std::string query) {
  kube::HttpRequest request;
  request.url = url_of(*round, query);
  request.allow_http = true;
  request.timeout = std::chrono::ceil<milliseconds>(round->deadline - kube::Clock::now());
  if (request.timeout <= milliseconds(0))
    co_return Error{
        fmt::format("Prometheus did not answer within {}", format_duration(settings_.query_timeout)), {}};
  const kube::HttpResponse answer = co_await loop_.send(std::move(request), &system_authorities_);
  auto values = values_in(answer.body);
  if (answer.ok() && values) co_return values;
  const std::string why =
      answer.ok() ? values.error().message : complaint(answer, values ? Error{} : values.error());
  co_return Error{"Prometheus: " + why, {}};
}

}  // namespace muster::serve
