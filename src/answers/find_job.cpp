// Searches the names of jobs first, then of pods. If none matches, suggests the nearest names.
#include "answers/find_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "util/suggest.hpp"

namespace muster::answers {
namespace {

constexpr std::size_t kMostNames = 3;

// True if the job or pod has this name.
bool is_called(const auto& named, std::string_view name, std::string_view ns) {
  if (const auto slash = name.find('/'); slash != name.npos)
    return named.ns == name.substr(0, slash) && named.name == name.substr(slash + 1);
  return named.name == name && (ns.empty() || named.ns == ns);
}

std::vector<JobId> jobs_called(const Cluster& cluster, std::string_view name, std::string_view ns) {
  std::vector<JobId> found;
  for (JobId j : ids(cluster.jobs()))
    if (cluster.job(j).present && is_called(cluster.job(j), name, ns)) found.push_back(j);
  return found;
}

std::vector<JobId> jobs_of_pods_called(const Cluster& cluster, std::string_view name, std::string_view ns) {
  std::set<JobId> found;
  for (const Task& task : cluster.tasks())
    if (task.alive && task.job.valid() && cluster.job(task.job).present && is_called(task, name, ns))
      found.insert(task.job);
  return {found.begin(), found.end()};
}

std::string no_such_job(const Cluster& cluster, std::string_view name, std::string_view ns) {
  for (const Task& task : cluster.tasks())
    if (task.alive && is_called(task, name, ns))
      return fmt::format(
          "pod \"{}\" belongs to no job: its PodGroup is missing, or another scheduler places it",
          task.full_name());
  const bool is_full = name.find('/') != name.npos;
  std::set<std::string> names, everywhere;
  for (const Job& job : cluster.jobs()) {
    if (!job.present) continue;
    everywhere.insert(job.full_name());
    if (!is_full && (ns.empty() || job.ns == ns)) names.insert(job.name);
  }
  const std::string where = ns.empty() || is_full ? "" : fmt::format(" in namespace \"{}\"", ns);
  const std::string full = is_full ? std::string(name) : fmt::format("{}/{}", ns, name);
  return fmt::format("there is no job or pod \"{}\"{}{}", name, where,
                     names.empty() ? nearest_names(full, {everywhere.begin(), everywhere.end()})
                                   : nearest_names(name, {names.begin(), names.end()}));
}

std::string several(const Cluster& cluster, std::string_view name, const std::vector<JobId>& jobs) {
  std::vector<std::string> names;
  for (JobId j : jobs) names.push_back(cluster.job(j).full_name());
  std::ranges::sort(names);
  if (names.size() > kMostNames) names.resize(kMostNames);
  return fmt::format("{} jobs are named \"{}\"; specify one: {}{}", jobs.size(), name, fmt::join(names, ", "),
                     jobs.size() > kMostNames ? ", …" : "");
}

}  // namespace

std::string nearest_names(std::string_view name, std::vector<std::string_view> known) {
  const auto listed = [](const std::vector<std::string_view>& names, std::string_view last_word) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
      text += fmt::format("{}\"{}\"", i == 0 ? "" : i + 1 == names.size() ? last_word : ", ", names[i]);
    return text;
  };
  const std::vector<std::string_view> some = nearest_of(name, known, kMostNames);
  std::vector<std::string_view> near = some;
  std::erase_if(near, [&](std::string_view n) { return nearest(name, {&n, 1}).empty(); });
  if (!near.empty()) return fmt::format("; did you mean {}?", listed(near, " or "));
  if (some.empty()) return "";
  return fmt::format("; the nearest {} {}", some.size() == 1 ? "is" : "are", listed(some, " and "));
}

FoundJob find_job(const Cluster& cluster, std::string_view name, std::string_view ns) {
  std::vector<JobId> jobs = jobs_called(cluster, name, ns);
  if (jobs.empty()) jobs = jobs_of_pods_called(cluster, name, ns);
  if (jobs.size() == 1) return {.job = jobs.front(), .problem = {}};
  if (jobs.empty()) return {.job = {}, .problem = no_such_job(cluster, name, ns)};
  return {.job = {}, .problem = several(cluster, name, jobs), .is_ambiguous = true};
}

}  // namespace muster::answers
