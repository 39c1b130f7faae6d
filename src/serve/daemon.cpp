// The daemon: parts, wiring, and the loop of cycles.
#include "serve/daemon.hpp"

#include <fmt/format.h>

#include <csignal>

#include "engine/cycle/run_cycle.hpp"
#include "engine/search/search_memory.hpp"
#include "kube/elector.hpp"
#include "kube/resource.hpp"
#include "serve/cycle_pace.hpp"
#include "serve/health/http_server.hpp"
#include "serve/health/requeue_log.hpp"
#include "serve/health/vitals.hpp"
#include "serve/read/pod_grouping.hpp"
#include "serve/read/self_check.hpp"
#include "serve/signals.hpp"
#include "serve/wall_clock.hpp"
#include "serve/write/default_queues.hpp"
#include "serve/write/live_sink.hpp"
#include "serve/write/status_writer.hpp"

namespace muster::serve {
namespace {

using kube::Clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kDone = 0, kFailed = 3;
constexpr auto kDrainTime = seconds(10);
constexpr auto kRestoringTime = seconds(10);
constexpr auto kCalm = seconds(2);

class Daemon {
 public:
  Daemon(DaemonOptions options, Policy policy, kube::Credentials credentials);
  int run();
  void on_signal(int signal);

 private:
  void wire();
  kube::Async<void> schedule();
  kube::Async<void> run_one_cycle();
  void check_now_and_then();
  kube::Async<void> tick();
  kube::Async<void> drain();
  kube::Async<void> begin_leading();
  bool may_act() const;
  void win();
  void lose();

  DaemonOptions options_;
  Policy policy_;
  Log log_;
  RequeueLog requeue_log_{log_};
  SearchMemory memory_;
  const SteadyStopwatch stopwatch_;
  kube::Loop loop_;
  kube::ApiClient client_;
  Cluster cluster_;
  Assumptions assumptions_;
  LiveSource source_;
  Metrics metrics_;
  Events events_;
  const WriteParts write_parts_{client_, source_, assumptions_, events_, metrics_, log_};
  PodGroupWriter groups_;
  Binder binder_;
  Evictor evictor_;
  LiveSink sink_;
  StatusWriter status_;
  PodGrouping grouping_;
  SelfCheck self_check_;
  kube::Elector elector_;
  kube::Signal news_{loop_};
  Vitals vitals_;
  CyclePace pace_;
  // Until then pods may lack the PodGroup that their use is charged to.
  Clock::time_point knows_all_jobs_by_ = Clock::time_point::max();
  bool cycle_is_due_ = false;
  bool is_in_cycle_ = false;
  int exit_code_ = kDone;
  int cycles_since_check_ = 0;
  Clock::time_point last_busy_{};
};

Daemon::Daemon(DaemonOptions options, Policy policy, kube::Credentials credentials)
    : options_(std::move(options)),
      policy_(std::move(policy)),
      log_(options_.verbosity, options_.logs_json),
      client_(loop_, std::move(credentials),
              {.writes_per_second = options_.writes_per_second, .burst = options_.burst}),
      cluster_(options_.cluster),
      source_(client_, assumptions_, log_,
              {.scheduler_name = options_.scheduler_name,
               .binds_by_request = options_.binding == Binding::kBindRequest,
               .keeps_ungrouped = options_.groups_pods}),
      metrics_(options_.metrics_prefix, options_.node_pool),
      events_(client_, log_, options_.scheduler_name),
      groups_(write_parts_),
      binder_(write_parts_, groups_, options_.binding, {options_.node_pool_label, options_.node_pool}),
      evictor_(write_parts_, groups_, options_.evict_by, options_.marks_evicted_pods),
      sink_(write_parts_, {binder_, evictor_, groups_}),
      status_(write_parts_, groups_, options_.node_pool),
      grouping_(write_parts_, groups_, options_.scheduler_name,
                {.queue_label = options_.queue_label,
                 .node_pool_label = options_.node_pool_label,
                 .has_priority_class =
                     [this](const std::string& name) {
                       return source_.reflector("PriorityClass").knows("", name);
                     }}),
      self_check_(write_parts_, groups_, options_.cluster),
      elector_(client_,
               {.ns = options_.ns,
                .name = options_.node_pool.empty() ? options_.scheduler_name
                                                   : options_.scheduler_name + "-" + options_.node_pool,
                .identity = kube::make_identity()}) {
  wire();
}

void Daemon::wire() {
  policy_.plugins.push_back(protection_of(evictor_.protected_jobs()));
  source_.on_failed_bind_request = [this](const std::string& ns, const std::string& name) {
    if (vitals_.is_leader) binder_.remove_bind_request(ns, name);
  };
  source_.on_news = [this] { news_.give(); };
  source_.on_pod_group = [this](Json group) { status_.saw_group(group); };
  source_.on_pod_group_gone = [this](const std::string& ns, const std::string& name) {
    status_.group_gone(ns, name);
    groups_.group_gone(ns, name);
  };
  if (options_.groups_pods) {
    source_.on_pod = [this](Json pod) { grouping_.saw(pod); };
    source_.on_pod_gone = [this](const std::string& ns, const std::string& name) {
      grouping_.pod_gone(ns, name);
    };
  }
  client_.on_answer = [this](const kube::ApiRequest& request, int status, std::chrono::nanoseconds took) {
    metrics_.answered(request.method, kube::resource_in(request.path), status, took);
  };
  elector_.on_won = [this] { win(); };
  elector_.on_lost = [this] { lose(); };
  elector_.on_trouble = [this](const std::string& text) { log_.repeated_warning(text); };
}

// ---------------------------------------------------------------- who may write

void Daemon::win() {
  log_.info("leading");
  vitals_.is_leader = true;
  metrics_.leads(true);
  // The one before us may have written what the watch has yet to show.
  if (options_.elects_leader) source_.list_again();
  cycle_is_due_ = true;
  news_.give();
  kube::spawn(begin_leading());
}

// What is there must be known first: queues, PriorityClasses, PodGroups.
kube::Async<void> Daemon::begin_leading() {
  while (!source_.is_synced() && !loop_.stopping()) co_await loop_.sleep(milliseconds(20));
  knows_all_jobs_by_ = Clock::now() + kRestoringTime;
  kube::spawn(make_default_queues(write_parts_));
  grouping_.begin();
  while (grouping_.is_restoring() && !loop_.stopping()) co_await loop_.sleep(milliseconds(20));
  knows_all_jobs_by_ = Clock::now();
  news_.give();
}

bool Daemon::may_act() const {
  return vitals_.is_leader && source_.is_synced() && !vitals_.is_draining &&
         Clock::now() >= knows_all_jobs_by_;
}

void Daemon::lose() {
  vitals_.is_leader = false;
  metrics_.leads(false);
  client_.forbid_writes();
  if (vitals_.is_draining) return;
  log_.error("the lead was lost; ending");
  exit_code_ = kFailed;
  loop_.stop();
}

// ---------------------------------------------------------------- cycles

kube::Async<void> Daemon::schedule() {
  while (!loop_.stopping()) {
    co_await news_.until(may_act() ? pace_.latest() : Clock::now() + milliseconds(100));
    if (loop_.stopping()) co_return;
    source_.update(cluster_, wall_clock());
    if (self_check_.is_due()) self_check_.compare(cluster_, wall_clock());
    cycle_is_due_ |= source_.take_relevance();
    const bool is_due = cycle_is_due_ || Clock::now() >= pace_.latest();
    if (!may_act() || !is_due) continue;
    if (Clock::now() < pace_.earliest()) co_await loop_.sleep(pace_.earliest() - Clock::now());
    if (loop_.stopping()) co_return;
    source_.update(cluster_, wall_clock());
    co_await run_one_cycle();
    ++cycles_since_check_;
  }
}

// A list of everything is a burden: it waits until little has happened for a while, but not for ever.
void Daemon::check_now_and_then() {
  const auto now = Clock::now();
  if (assumptions_.binds_open() + assumptions_.evictions_open() + client_.waiting() > 0) last_busy_ = now;
  const int due = options_.cycles_between_checks;
  if (due <= 0 || cycles_since_check_ < (now - last_busy_ < kCalm ? 2 * due : due)) return;
  cycles_since_check_ = 0;
  kube::spawn(self_check_.read());
}

kube::Async<void> Daemon::run_one_cycle() {
  cycle_is_due_ = false;
  source_.take_relevance();
  evictor_.note_protected_jobs();
  const TimePoint instant = wall_clock();
  const auto start = Clock::now();
  is_in_cycle_ = true;
  const Decisions decisions = co_await loop_.offload([&] {
    return run_cycle(cluster_, policy_, instant, {&memory_, &stopwatch_});
  });
  is_in_cycle_ = false;
  const auto took = Clock::now() - start;
  pace_.ran(took, options_.schedule_period);
  vitals_.last_cycle = Vitals::stamp(Clock::now());
  metrics_.cycle(cluster_, decisions, took);
  if (!vitals_.is_leader || vitals_.is_draining) co_return;
  sink_.assume(cluster_, decisions, instant);
  sink_.carry_out(cluster_, decisions, instant);
  status_.publish(cluster_, decisions);
  if (decisions.requeue) requeue_log_.tell(cluster_, *decisions.requeue);
  pace_.come_by(status_.next_due());
  if (!decisions.binds.empty() || !decisions.evictions.empty())
    log_.info("cycle",
              {{"bound", std::to_string(decisions.binds.size())},
               {"evicted", std::to_string(decisions.evictions.size())},
               {"pipelined", std::to_string(decisions.pipelined.size())},
               {"waitingJobs", std::to_string(decisions.waiting.size())},
               {"ms", fmt::format("{:.1f}", std::chrono::duration<double, std::milli>(took).count())}});
}

// ---------------------------------------------------------------- life

kube::Async<void> Daemon::tick() {
  for (bool goes_on = true; goes_on;) {
    goes_on = co_await loop_.sleep(milliseconds(200));
    vitals_.last_tick = Vitals::stamp(Clock::now());
    vitals_.is_synced = source_.is_synced();
    vitals_.last_contact = Vitals::stamp(source_.last_contact());
    metrics_.queued(assumptions_.binds_open(), assumptions_.evictions_open(), client_.waiting());
    metrics_.left_out(source_.unusable_objects());
    check_now_and_then();
  }
}

void Daemon::on_signal(int signal) {
  loop_.post([this, signal] {
    if (signal == SIGUSR1) return static_cast<void>(kube::spawn(self_check_.read()));
    if (vitals_.is_draining) return loop_.stop();
    vitals_.is_draining = true;
    log_.info("shutting down");
    kube::spawn(drain());
  });
}

// Writes that were begun are finished; then another may lead at once.
kube::Async<void> Daemon::drain() {
  const auto end = Clock::now() + kDrainTime;
  while ((sink_.open_writes() > 0 || is_in_cycle_) && Clock::now() < end && !loop_.stopping())
    co_await loop_.sleep(milliseconds(10));
  if (options_.elects_leader) co_await elector_.release();
  log_.info("stopped");
  loop_.stop();
}

int Daemon::run() {
  HttpServer server({.metrics = [this] { return metrics_.text(); },
                     .not_alive = [this] { return vitals_.not_alive(); },
                     .not_ready = [this] { return vitals_.not_ready(options_.schedule_period); }});
  const auto port = server.start(options_.listen_address);
  if (!port) {
    log_.error(port.error().text());
    return kFailed;
  }
  log_.info("muster serve", {{"server", client_.server()},
                             {"scheduler", options_.scheduler_name},
                             {"listen", options_.listen_address},
                             {"port", std::to_string(*port)}});
  loop_.post([this] {
    vitals_.last_tick = vitals_.last_cycle = Vitals::stamp(Clock::now());
    source_.start();
    kube::spawn(tick());
    kube::spawn(schedule());
    if (options_.elects_leader)
      kube::spawn(elector_.run());
    else
      win();
  });
  loop_.run();
  return exit_code_;
}

}  // namespace

int run_daemon(DaemonOptions options, Policy policy, kube::Credentials credentials) {
  Daemon* running = nullptr;
  Signals signals([&](int signal) {
    if (running != nullptr) running->on_signal(signal);
  });
  Daemon daemon(std::move(options), std::move(policy), std::move(credentials));
  running = &daemon;
  const int exit_code = daemon.run();
  return exit_code;
}

}  // namespace muster::serve
