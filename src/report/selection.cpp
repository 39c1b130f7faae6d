// Selects jobs by name, queue, user and state, and sorts them.
#include "report/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "model/users.hpp"
#include "report/job_state.hpp"
#include "util/names.hpp"
#include "util/suggest.hpp"

namespace muster::report {
namespace {

constexpr std::string_view kWaiting = "waiting";

// The status as it is written in --state: "NotReady" becomes "not-ready".
std::string state_of(const Job& job) {
  std::string state;
  for (const char* c = status_of(job); *c != '\0'; ++c) {
    if (std::isupper(static_cast<unsigned char>(*c)) != 0 && !state.empty()) state += '-';
    state += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  }
  return state;
}

bool is_in_state(const Job& job, std::string_view state) {
  return state == kWaiting ? is_waiting(job) : state_of(job) == state;
}

// Whether the job is in the queue or in one below it.
bool is_of_queue(const Cluster& cluster, const Job& job, std::string_view name) {
  if (job.queue_name == name) return true;
  for (QueueId q = job.queue; q.valid(); q = cluster.queue(q).parent)
    if (cluster.queue(q).name == name) return true;
  return false;
}

bool is_called(const Job& job, std::string_view name) {
  return job.name == name || (name.find('/') != name.npos && job.full_name() == name);
}

bool passes(const Cluster& cluster, JobId id, const JobFilter& filter) {
  const Job& job = cluster.job(id);
  return (filter.user.empty() || user_of(cluster, id) == filter.user) &&
         (filter.ns.empty() || job.ns == filter.ns) && (filter.job.empty() || is_called(job, filter.job)) &&
         (filter.queue.empty() || is_of_queue(cluster, job, filter.queue)) &&
         (filter.state.empty() || is_in_state(job, filter.state));
}

using Names = std::set<std::string_view>;

std::string unknown_name(const char* what, std::string_view name, const Names& known) {
  if (name.empty() || known.contains(name)) return "";
  return fmt::format("there is no {} \"{}\"{}", what, name,
                     did_you_mean(name, std::vector(known.begin(), known.end())));
}

// The position of each queue in the tree, depth first. Queues that cannot be used come last.
IdVector<QueueId, std::size_t> queue_ranks(const Cluster& cluster) {
  IdVector<QueueId, std::size_t> ranks(cluster.queues().size(), cluster.queues().size());
  std::size_t rank = 0;
  for (QueueId q : cluster.queue_tree().depth_first()) ranks[q] = rank++;
  return ranks;
}

void sort_by_queue(const Cluster& cluster, std::vector<JobId>& jobs) {
  const auto ranks = queue_ranks(cluster);
  const auto key = [&](const Job& job) {
    return std::tuple(ranks[job.queue], std::string_view(job.queue_name), -std::int64_t{job.priority},
                      job.created);
  };
  std::stable_sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
    const Job &x = cluster.job(a), &y = cluster.job(b);
    const auto left = key(x), right = key(y);
    return left != right ? left < right : natural_less(x.name, y.name);
  });
}

// Sorts in ascending order; equal elements keep their order.
template <class KeyOf>
void sort_by_key(std::vector<JobId>& jobs, KeyOf key_of) {
  std::vector<std::pair<decltype(key_of(JobId())), JobId>> keyed;
  for (JobId j : jobs) keyed.emplace_back(key_of(j), j);
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(keyed.begin(), keyed.end(), jobs.begin(), [](const auto& pair) { return pair.second; });
}

}  // namespace

const std::vector<std::string_view>& known_states() {
  static const std::vector<std::string_view> states{kWaiting,    "running",   "incomplete", "pending",
                                                    "not-ready", "releasing", "finished",   "no-pods"};
  return states;
}

const std::vector<std::string_view>& known_orders() {
  static const std::vector<std::string_view> orders{"age", "priority", "gpus", "name", "queue"};
  return orders;
}

std::string problem_with(const JobFilter& filter, const Cluster& cluster) {
  Names namespaces, queues, users, names;
  std::set<std::string> full_names;
  for (const Queue& queue : cluster.queues())
    if (queue.present) queues.insert(queue.name);
  for (JobId j : present_jobs(cluster)) {
    const Job& job = cluster.job(j);
    if (!filter.user.empty()) users.insert(user_of(cluster, j));
    namespaces.insert(job.ns);
    queues.insert(job.queue_name);
    if (!filter.ns.empty() && job.ns != filter.ns) continue;
    names.insert(filter.job.find('/') == filter.job.npos ? std::string_view(job.name)
                                                         : *full_names.insert(job.full_name()).first);
  }
  std::string problem = unknown_name("job in namespace", filter.ns, namespaces);
  if (problem.empty()) problem = unknown_name("queue", filter.queue, queues);
  if (problem.empty()) problem = unknown_name("job of user", filter.user, users);
  return problem.empty() ? unknown_name("job", filter.job, names) : problem;
}

std::string text_of(const JobFilter& filter) {
  std::vector<std::string> parts;
  if (!filter.ns.empty()) parts.push_back("namespace " + filter.ns);
  if (!filter.queue.empty()) parts.push_back("queue " + filter.queue + " and below");
  if (!filter.user.empty()) parts.push_back("user " + filter.user);
  if (!filter.job.empty()) parts.push_back("job " + filter.job);
  if (!filter.state.empty()) parts.push_back("state " + filter.state);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<JobId> selected_jobs(const Cluster& cluster, const JobFilter& filter) {
  std::vector<JobId> jobs = present_jobs(cluster);
  std::erase_if(jobs, [&](JobId j) { return !passes(cluster, j, filter); });
  return jobs;
}

void sort_jobs(const Cluster& cluster, std::string_view order, std::vector<JobId>& jobs) {
  sort_by_queue(cluster, jobs);
  if (order == "age") sort_by_key(jobs, [&](JobId j) { return cluster.job(j).created; });
  if (order == "priority") sort_by_key(jobs, [&](JobId j) { return -std::int64_t{cluster.job(j).priority}; });
  if (order == "gpus") sort_by_key(jobs, [&](JobId j) { return -gpus_of(cluster, cluster.job(j)); });
  if (order == "name")
    std::stable_sort(jobs.begin(), jobs.end(), [&](JobId a, JobId b) {
      const Job &x = cluster.job(a), &y = cluster.job(b);
      return x.ns != y.ns ? natural_less(x.ns, y.ns) : natural_less(x.name, y.name);
    });
}

}  // namespace muster::report
