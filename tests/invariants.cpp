// Checks invariants after every cycle of random clusters; two of three clusters have damaged objects.
//
//   invariants [--clusters N] [--seed S]
//   invariants FOLDER...
//
// Prints the seed of each cluster that violates an invariant; --seed S --clusters 1 repeats it. A folder
// contains a cluster.yaml and a config.yaml, as tests/conformance/gen.py writes them.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>

#include "engine/cycle/run_cycle.hpp"
#include "engine/cycle/session.hpp"
#include "loader/inputs.hpp"
#include "policy/policy.hpp"
#include "sim/embedded_cluster.hpp"
#include "terminal/exit_code.hpp"
#include "tests/damage.hpp"
#include "tests/random_cluster.hpp"
#include "tests/test_cluster.hpp"

namespace muster {
namespace {

constexpr int kCycles = 4;

std::vector<std::uint64_t> numbers(std::mt19937_64& random, unsigned most) {
  std::vector<std::uint64_t> list(random() % (most + 1));
  for (std::uint64_t& number : list) number = random();
  return list;
}

std::vector<Object> some_objects(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const RandomCluster plan{.nodes = numbers(random, 8),
                           .queues = numbers(random, 5),
                           .jobs = numbers(random, 12),
                           .foreign = numbers(random, 3)};
  const std::vector<Object> objects = objects_of(plan);
  return random() % 3 == 0 ? objects : damaged(objects, numbers(random, 12));
}

// "j0 2 of 3, 0 of 1": placed and required pods of each pod set.
std::string shape_text(const Job& job) {
  std::string text = job.name;
  for (const PodSet& p : job.pod_sets)
    text += fmt::format(" {} {} of {},", p.name, p.counts.active_allocated(), p.minimum);
  for (const GroupSet& s : job.sets)
    text += fmt::format(" set {} needs {} of {}", s.name, s.required(), s.members.size());
  return text;
}

// The state of a cluster before a cycle: what was wrong then is not the cycle's fault.
class Before {
 public:
  explicit Before(const Cluster& c) : over_now_(c.nodes().size()), over_(c.nodes().size()) {
    for (NodeId n : c.nodes_by_name()) {
      over_now_[n] = c.node_table().overdrawn_now(n) > 0;
      over_[n] = c.node_table().overdrawn(n) > 0;
    }
    for (QueueId q : ids(c.queues())) held_.push_back(c.use(q).allocated);
    for (JobId j : ids(c.jobs())) had_places_.push_back(c.job(j).counts.active_allocated() > 0);
  }

  // Checks the cluster with nominated pods, as the last action of a cycle sees it.
  std::string look(const Cluster& c) const {
    for (JobId j : ids(c.jobs()))
      if (!had_places_[j] && c.job(j).counts.active_allocated() > 0 && !is_satisfied(c.job(j), kRoot))
        return "a part of a gang: " + shape_text(c.job(j));
    for (NodeId n : c.nodes_by_name()) {
      if (c.node_table().overdrawn(n) > 0 && !over_[n]) return "promised too much: " + c.node(n).name;
    }
    for (QueueId q : c.queue_tree().depth_first())
      for (Accounted r : kAccounted) {
        const double limit = c.queue(q).of(r).limit, held = c.use(q).allocated.share(r);
        if (limit >= 0 && held > limit + 1e-6 && held > held_[q].share(r))
          return "above its limit: " + c.queue(q).name;
      }
    return "";
  }

  // Checks the cluster after the cycle.
  std::string look(const Cluster& c, const Decisions& d) const {
    for (NodeId n : c.nodes_by_name())
      if (c.node_table().overdrawn_now(n) > 0 && !over_now_[n]) return "overfull: " + c.node(n).name;
    for (const BindDecision& b : d.binds) {
      if (std::ranges::any_of(d.evictions, [&](const EvictDecision& e) { return e.task == b.task; }))
        return "bound and evicted: " + c.task(b.task).name;
      if (const Job& job = c.job(c.task(b.task).job); !is_satisfied(job, kRoot))
        return "a part of a gang is bound: " + shape_text(job);
    }
    return "";
  }

 private:
  IdVector<NodeId, char> over_now_, over_;
  IdVector<QueueId, Charge> held_;
  IdVector<JobId, char> had_places_;
};

class LookAtIt final : public Action {
 public:
  std::string name() const override { return "look"; }
  void open(Session& s) override { before_.emplace(s.cluster); }
  void run(Session& s) override { wrong_ = before_->look(s.cluster); }
  const Before& before() const { return *before_; }
  const std::string& wrong() const { return wrong_; }

 private:
  std::optional<Before> before_;
  std::string wrong_;
};

// The first violation; "" if there is none.
std::string wrong_with(Cluster& cluster, Policy policy, TimePoint now) {
  const auto look = std::make_shared<LookAtIt>();
  policy.actions.push_back(look);
  EmbeddedCluster embedded;
  for (int cycle = 0; cycle < kCycles; ++cycle, now += std::chrono::minutes(1)) {
    const Decisions decisions = run_cycle(cluster, policy, now);
    for (const std::string& wrong :
         {look->wrong(), look->before().look(cluster, decisions), cluster.recount()})
      if (!wrong.empty())
        return fmt::format("cycle {}: {}; decided: {}", cycle, wrong, text_of(cluster, decisions));
    embedded.carry_out(cluster, decisions, now);
    embedded.update(cluster, now);
  }
  return "";
}

class Tally {
 public:
  void add(const std::string& name, const std::string& wrong) {
    ++(wrong.empty() ? passed_ : failed_);
    if (!wrong.empty()) fmt::print("{}: {}\n", name, wrong);
  }
  int end() const {
    fmt::print("{} passed, {} failed\n", passed_, failed_);
    return failed_ > 0;
  }

 private:
  long passed_ = 0, failed_ = 0;
};

int run_seeds(std::uint64_t seed, long clusters) {
  std::vector<Error> errors;
  const Policy policy = policy::make_policy({}, errors);
  Tally tally;
  for (long i = 0; i < clusters; ++i) {
    if (i > 0 && i % 10'000 == 0) fmt::print(stderr, "{} of {}\n", i, clusters);
    const std::uint64_t this_seed = seed + static_cast<std::uint64_t>(i);
    Cluster cluster = cluster_of(some_objects(this_seed));
    tally.add(fmt::format("seed {}", this_seed), wrong_with(cluster, policy, random_cluster_now()));
  }
  return tally.end();
}

int run_folders(const std::vector<std::string>& folders) {
  Tally tally;
  for (const std::string& folder : folders) {
    loader::Inputs inputs = loader::read_all({.paths = {folder + "/cluster.yaml"},
                                              .config = folder + "/config.yaml",
                                              .now = format_time(random_cluster_now())});
    for (const Error& error : inputs.findings.errors) fmt::print(stderr, "error: {}\n", error.text());
    if (const int exit_code = inputs.exit_code(false); exit_code != kSuccess) return exit_code;
    tally.add(folder, wrong_with(inputs.cluster, inputs.policy, inputs.now));
  }
  return tally.end();
}

}  // namespace
}  // namespace muster

int main(int count, char** arguments) {
  long clusters = 20'000;
  std::uint64_t seed = 1;
  std::vector<std::string> folders;
  for (int i = 1; i < count; ++i) {
    const bool has_value = i + 1 < count;
    if (has_value && std::strcmp(arguments[i], "--clusters") == 0)
      clusters = std::atol(arguments[++i]);
    else if (has_value && std::strcmp(arguments[i], "--seed") == 0)
      seed = std::strtoull(arguments[++i], nullptr, 10);
    else if (arguments[i][0] != '-')
      folders.emplace_back(arguments[i]);
    else
      return fmt::print(stderr, "usage: invariants [--clusters N] [--seed S] | FOLDER...\n"), 2;
  }
  return folders.empty() ? muster::run_seeds(seed, clusters) : muster::run_folders(folders);
}
