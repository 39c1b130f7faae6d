// Proposes scenarios that move few tasks out of the preemptor's way, to free space that is too fragmented for
// it: a fragmented node or topology domain becomes whole. docs/placement.md.
#include <algorithm>

#include "engine/cycle/statement.hpp"
#include "engine/place/allocation.hpp"
#include "engine/search/scenario_generator.hpp"
#include "plugins/generators/clearing.hpp"
#include "plugins/generators/generators.hpp"

namespace muster::plugins {
namespace {

// Limits of the search. If the cheapest plans fail, more expensive ones rarely work.
constexpr std::size_t kMostPlans = 16, kMostDomains = 16;

// Nodes that the preemptor's tasks may use together.
using Domain = std::vector<NodeId>;

class Defragment final : public ScenarioGenerator {
 public:
  bool serves(const Candidates& candidates) const override { return candidates.get_other_places; }
  bool moves_to_all_nodes() const override { return true; }
  std::optional<TimePoint> next_chance() const override { return next_chance_; }

  void start(VictimAccumulator& victims) override {
    victims_ = &victims;
    fronts_.clear();
    last_.reset();
    next_chance_.reset();
    if (!is_plain() || some_job_moves()) return;
    work_.start(victims.session(), victims.pool(), victims.candidates());
    if (!clearing_) clearing_.emplace(cluster(), work_);
    for (Domain& domain : domains())
      if (auto plan = plan_for(domain)) fronts_.push_back({std::move(domain), *std::move(plan)});
  }

  bool next(Batches& potential) override {
    potential.clear();
    if (last_) advance(*last_);
    for (last_.reset(); !fronts_.empty(); advance(*last_)) {
      const auto cheapest =
          std::min_element(fronts_.begin(), fronts_.end(),
                           [](const Front& a, const Front& b) { return a.plan.price < b.plan.price; });
      last_ = static_cast<std::size_t>(cheapest - fronts_.begin());
      if (costs_too_much(cheapest->plan) || !rehearsal_succeeds(cheapest->plan)) continue;
      write(cheapest->plan, potential);
      return true;
    }
    last_.reset();
    return false;
  }

 private:
  struct Plan {
    std::vector<TaskId> leave;
    Price price;
    NodeId first;  // of the nodes that some task has to leave
  };
  // The state of the search in one domain.
  struct Front {
    Domain left;
    Plan plan;  // the next one
    std::size_t tried = 0;
  };
  struct Site {
    NodeRoom room;
    std::optional<Way> way;
  };

  // True if the plan loses more work than the preemptor could have done since it was created. Both amounts
  // grow. If fewer GPUs would be evicted than the preemptor requests, the plan becomes acceptable at some
  // time.
  bool costs_too_much(const Plan& plan) {
    const Session& session = victims_->session();
    const auto waited = session.now - cluster().job(victims_->probe().preemptor).created;
    std::int64_t gpus = 0;
    for (TaskId t : victims_->probe().tasks) gpus += shape_of(t).gpu_units();
    const double missing = plan.price.work - gpu_hours(gpus, waited);
    if (plan.price.hours() <= 0 || missing <= 0) return false;
    if (gpus > plan.price.gpus) note_chance(session.now + time_for(missing, gpus - plan.price.gpus));
    return true;
  }
  void note_chance(TimePoint at) {
    if (!next_chance_ || at < *next_chance_) next_chance_ = at;
  }

  const Cluster& cluster() const { return victims_->session().cluster; }
  const Shape& shape_of(TaskId t) const { return cluster().shape_of(t); }

  // Only one job moves at a time: when the evicted tasks look for places in the next cycle, nothing else has
  // changed, and they find what was found for them here.
  bool some_job_moves() const { return !victims_->session().decisions.evictions.empty(); }

  // Devices of claims and parts of GPUs are not counted here.
  bool is_plain() const {
    const auto& tasks = victims_->probe().tasks;
    return std::all_of(tasks.begin(), tasks.end(),
                       [&](TaskId t) { return shape_of(t).claimed_gpus == 0 && !shape_of(t).is_mig(); });
  }

  // ---- domains

  std::vector<Domain> domains() const {
    const Cluster& c = cluster();
    const TopologyConstraint& topology = c.job(victims_->probe().preemptor).sets[kRoot.at].topology;
    const TopologyTree* tree = c.topology(topology.topology);
    const auto level =
        tree != nullptr && !topology.required.empty() ? tree->level(topology.required) : std::nullopt;
    if (!level) return {usable(c.nodes_by_name())};
    std::vector<Domain> found;
    for (std::uint32_t d = 0; d < tree->size(); ++d) {
      if ((*tree)[TopologyDomainId(d)].level != *level) continue;
      Domain nodes;
      for (std::uint32_t rank : tree->ranks(TopologyDomainId(d))) nodes.push_back(c.nodes_by_name()[rank]);
      found.push_back(usable(nodes));
    }
    return nearest(std::move(found));
  }

  // The nodes that lack least, so that little has to move. Only these are searched for a way.
  Domain usable(std::span<const NodeId> nodes) const {
    const RoomTest& room = victims_->room();
    const ShapeId shape = cluster().task(victims_->probe().tasks.front()).shape;
    Domain found;
    for (NodeId n : nodes)
      if (cluster().node(n).usable() && !victims_->session().hooks.shape_filter(shape, n)) found.push_back(n);
    const std::int64_t requested = cluster().shape(shape).gpu_units();
    const auto lacks = [&](NodeId n) { return std::max<std::int64_t>(0, requested - room.room(n)); };
    std::stable_sort(found.begin(), found.end(), [&](NodeId a, NodeId b) { return lacks(a) < lacks(b); });
    const std::size_t most = 64 + 2 * victims_->probe().tasks.size();
    if (found.size() > most) found.resize(most);
    return found;
  }

  std::vector<Domain> nearest(std::vector<Domain> domains) const {
    const auto room = [&](const Domain& nodes) {
      std::int64_t sum = 0;
      for (NodeId n : nodes) sum += victims_->room().room(n);
      return sum;
    };
    std::stable_sort(domains.begin(), domains.end(),
                     [&](const Domain& a, const Domain& b) { return room(a) > room(b); });
    if (domains.size() > kMostDomains) domains.resize(kMostDomains);
    return domains;
  }

  // ---- plans

  // The next plan leaves out the node that was to be cleared first.
  void advance(std::size_t at) {
    Front& front = fronts_[at];
    std::erase(front.left, front.plan.first);
    const bool goes_on = front.plan.first.valid() && ++front.tried < kMostPlans;
    if (auto plan = goes_on ? plan_for(front.left) : std::nullopt)
      front.plan = *std::move(plan);
    else
      fronts_.erase(fronts_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  // Chooses a place for each task, the cheapest first. Returns nothing if some task finds none.
  std::optional<Plan> plan_for(const std::vector<NodeId>& nodes) {
    gone_.clear();
    for (TaskId t : victims_->probe().recorded->tasks()) gone_.insert(t);
    sites_.clear();
    for (NodeId n : nodes) {
      sites_.push_back({NodeRoom(cluster(), n), std::nullopt});
      for (TaskId t : victims_->probe().recorded->tasks())
        if (cluster().placement(t).node == n) sites_.back().room.leave(t);
    }
    Plan plan;
    ShapeId asked;
    for (TaskId t : victims_->probe().tasks) {
      const ShapeId shape = cluster().task(t).shape;
      if (shape != asked)
        for (Site& site : sites_) ask(site, shape);
      asked = shape;
      Site* const best = cheapest();
      if (best == nullptr) return std::nullopt;
      take(*best, shape, plan);
      for (Site& site : sites_)
        if (&site == best || overlaps(site)) ask(site, shape);
    }
    return plan;
  }

  void ask(Site& site, ShapeId shape) {
    site.way = clearing_->find(site.room, cluster().shape(shape), gone_);
  }

  Site* cheapest() {
    Site* best = nullptr;
    for (Site& site : sites_)
      if (site.way && (best == nullptr || site.way->price < best->way->price)) best = &site;
    return best;
  }

  // True if a task that this way evicts has left already.
  bool overlaps(const Site& site) const {
    return site.way && std::any_of(site.way->leave.begin(), site.way->leave.end(),
                                   [&](TaskId t) { return gone_.contains(t); });
  }

  void take(Site& site, ShapeId shape, Plan& plan) {
    const Way way = *site.way;
    if (!way.leave.empty() && !plan.first.valid()) plan.first = site.room.node();
    for (TaskId t : way.leave) {
      if (!gone_.insert(t)) continue;
      plan.leave.push_back(t);
      for (Site& home : sites_)
        if (home.room.node() == cluster().placement(t).node) home.room.leave(t);
    }
    plan.price += way.price;
    site.room.come(cluster().shape(shape));
  }

  // ---- rehearsal

  // Nominated places are not reserved. In the next cycle, the evicted tasks compete with all other jobs. They
  // may return to their old places, because these are free and their jobs come before the preemptor. The
  // evictions are useful only if the preemptor still finds a place after them.
  bool rehearsal_succeeds(const Plan& plan) const {
    Session& s = victims_->session();
    Statement st(s);
    std::vector<JobId> jobs;
    const auto send_away = [&](TaskId t) {
      st.forget(t);
      const JobId job = cluster().task(t).job;
      if (std::find(jobs.begin(), jobs.end(), job) == jobs.end()) jobs.push_back(job);
    };
    for (TaskId t : victims_->probe().recorded->tasks()) send_away(t);
    for (TaskId t : plan.leave) send_away(t);
    std::sort(jobs.begin(), jobs.end(),
              [&](JobId a, JobId b) { return s.job_before(s.entry(a), s.entry(b)); });
    const auto is_away = [&](JobId job) {
      return std::any_of(plan.leave.begin(), plan.leave.end(), [&](TaskId t) {
        return cluster().task(t).job == job && cluster().placement(t).status == TaskStatus::kPending;
      });
    };
    const auto finds_places = [&](JobId job) {
      while (is_away(job)) {
        const Chunk chunk = s.chunk(job);
        if (allocate_or_refuse(s, st, {.job = job, .tasks = chunk.tasks})) return false;
      }
      return true;
    };
    return std::all_of(jobs.begin(), jobs.end(), finds_places) &&
           !allocate_or_refuse(s, st, {.job = victims_->probe().preemptor, .tasks = victims_->probe().tasks});
  }

  // Writes one batch for each job, for as many jobs as may move at once.
  void write(const Plan& plan, Batches& potential) const {
    std::vector<JobId> jobs, all;
    const auto add = [&](TaskId t, std::vector<JobId>& to) {
      const JobId job = cluster().task(t).job;
      if (std::find(to.begin(), to.end(), job) == to.end()) to.push_back(job);
    };
    for (TaskId t : plan.leave) add(t, jobs), add(t, all);
    for (TaskId t : victims_->probe().recorded->tasks()) add(t, all);
    const int most = victims_->candidates().at_most;
    if (most >= 0 && all.size() > static_cast<std::size_t>(most)) return;
    for (JobId job : jobs) {
      potential.begin_batch(job);
      for (TaskId t : plan.leave)
        if (cluster().task(t).job == job) potential.add(t);
    }
  }

  VictimAccumulator* victims_ = nullptr;
  MovableWork work_;
  std::optional<Clearing> clearing_;
  Stamps<TaskId> gone_;
  std::vector<Site> sites_;
  std::vector<Front> fronts_;
  std::optional<std::size_t> last_;  // index of the front whose plan was proposed last
  std::optional<TimePoint> next_chance_;
};

}  // namespace

std::unique_ptr<Plugin> make_defragment() {
  return plugin_of([](Session&, Hooks& hooks) {
    hooks.generators.add([](std::vector<GeneratorFactory>& all) {
      const auto make = [] { return std::make_unique<Defragment>(); };
      all.push_back({kDefragment, make, true});
      all.push_back({kDefragment, make});
    });
  });
}

}  // namespace muster::plugins
