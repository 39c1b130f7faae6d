// The result of a search depends on the objects, the placements, the shares of the queues and the device
// selectors that are still to be evaluated; otherwise only on time.
#include "engine/search/search_memory.hpp"

#include <absl/hash/hash.h>

#include "engine/cycle/selector_results.hpp"

namespace muster {
namespace {

// Only jobs whose delay has ended, and which therefore join the pending jobs, change the shares.
std::size_t hash_of_shares(const Session& session) {
  std::size_t hash = 0;
  if (!session.hooks.fair_share) return hash;
  for (QueueId q : ids(session.cluster.queues())) hash = absl::HashOf(hash, session.hooks.fair_share(q));
  return hash;
}

}  // namespace

void SearchMemory::action_begins(const std::string& action) {
  shares_.reset();
  ByJob& searches = by_action_[action];
  absl::erase_if(searches, [](const auto& entry) { return !entry.second.is_of_use; });
  for (auto& [job, search] : searches) search.is_of_use = false;
}

std::size_t SearchMemory::state_of(const Session& session) {
  if (!shares_) shares_ = hash_of_shares(session);
  return absl::HashOf(session.cluster.revision(), session.cluster.placements_hash(), *shares_,
                      session.selector_results().progress());
}

SearchMemory::Search* SearchMemory::find(const Session& session, const std::string& action, JobId job) {
  ByJob& searches = by_action_[action];
  if (searches.empty()) return nullptr;
  const auto found = searches.find(session.cluster.job(job).full_name());
  if (found == searches.end() || found->second.state != state_of(session)) return nullptr;
  found->second.is_of_use = true;
  return &found->second;
}

void SearchMemory::recall(const Session& session, const std::string& action, JobId job,
                          FailedScenarios& failed) {
  if (const Search* search = find(session, action, job)) failed = search->failed;
}

void SearchMemory::remember(const Session& session, const std::string& action, JobId job,
                            FailedScenarios failed) {
  by_action_[action][session.cluster.job(job).full_name()] = {.state = state_of(session),
                                                              .failed = std::move(failed)};
}

const SearchEnded* SearchMemory::recall_end(const Session& session, const std::string& action, JobId job) {
  const Search* search = find(session, action, job);
  if (search == nullptr || !search->ended) return nullptr;
  const auto& until = search->ended->until;
  return until && session.now >= *until ? nullptr : &*search->ended;
}

void SearchMemory::remember_end(const Session& session, const std::string& action, JobId job,
                                SearchEnded ended) {
  by_action_[action][session.cluster.job(job).full_name()] = {
      .state = state_of(session), .failed = {}, .ended = ended};
}

bool SearchMemory::had_its_turn(const Session& session, const std::string& action, JobId job) const {
  const auto round = had_a_turn_.find(action);
  return round != had_a_turn_.end() && round->second.contains(session.cluster.job(job).full_name());
}

void SearchMemory::note_turns(const Session& session, const std::string& action,
                              std::span<const JobId> jobs) {
  for (JobId job : jobs) had_a_turn_[action].insert(session.cluster.job(job).full_name());
}

void SearchMemory::end_round(const std::string& action) { had_a_turn_.erase(action); }

void SearchMemory::forget(const Session& session, const std::string& action, JobId job) {
  by_action_[action].erase(session.cluster.job(job).full_name());
}

bool SearchMemory::recall_tasks(JobId job, std::uint64_t version, Tasks& tasks) const {
  const auto found = tasks_.find(job);
  if (found == tasks_.end() || found->second.version != version) return false;
  tasks = found->second.tasks;
  return true;
}

// Ids are reused, so the number of entries is about the maximum number of jobs at any time. The few jobs with
// more than kMost tasks are not remembered.
void SearchMemory::remember_tasks(JobId job, std::uint64_t version, const Tasks& tasks) {
  constexpr std::size_t kMost = 64;
  if (tasks.size() <= kMost) tasks_.insert_or_assign(job, KnownTasks{version, tasks});
}

}  // namespace muster
