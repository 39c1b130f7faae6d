// The life of the daemon: it starts its parts, passes on what the watch shows, and ends on a signal.
#include "serve/daemon.hpp"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <utility>

#include "serve/cycles.hpp"
#include "serve/health/http_server.hpp"
#include "serve/leadership.hpp"
#include "serve/parts.hpp"
#include "serve/reload.hpp"
#include "serve/web/interface.hpp"

namespace muster::serve {
namespace {

using kube::Clock;
using std::chrono::milliseconds;

constexpr int kDone = 0, kFailed = 3;
constexpr auto kTick = milliseconds(200);
constexpr const char* kEnding = "ending";  // the name of the task that ends the process
constexpr auto kDrainTime = std::chrono::seconds(10);
constexpr auto kWebStopTimeout = std::chrono::seconds(1);
constexpr auto kFormerLeaderGrace = std::chrono::seconds(10);

// ---------------------------------------------------------------- signals

// Sent only by this process, to end the thread that waits for signals.
constexpr int kWakeupSignal = SIGUSR2;

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGTERM, SIGINT, SIGUSR1, kWakeupSignal}) sigaddset(&set, signal);
  return set;
}

// Blocks the signals for this thread and the threads it starts, so that only Signals receives them.
void hold_signals() {
  const sigset_t set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

// Calls `on_signal` for each SIGTERM, SIGINT and SIGUSR1 during its lifetime, on its own thread.
class Signals {
 public:
  explicit Signals(std::function<void(int)> on_signal)
      : on_signal_(std::move(on_signal)), thread_([this] { run(); }) {}
  ~Signals() {
    is_over_ = true;
    pthread_kill(thread_.native_handle(), kWakeupSignal);
    thread_.join();
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  void run() {
    const sigset_t all = watched_signals();
    for (int signal = 0; sigwait(&all, &signal) == 0 && !is_over_;)
      if (signal != kWakeupSignal) on_signal_(signal);
  }

  const std::function<void(int)> on_signal_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

// ---------------------------------------------------------------- life

class Daemon final : SourceListener {
 public:
  Daemon(DaemonOptions options, Policy policy, kube::Credentials credentials)
      : p_(std::move(options), std::move(credentials), *this),
        leadership_(p_),
        cycles_(p_, leadership_, std::move(policy)),
        reload_(p_, [this](ConfigurationRead read) { cycles_.adopt(std::move(read)); }) {}

  // Returns the exit status.
  int run();

 private:
  kube::Async<void> start();
  kube::Async<void> tick();
  kube::Async<void> check();
  void on_signal(int signal);
  kube::Async<void> drain();
  bool is_busy() const;
  kube::Async<void> give_up_hung_cycle();
  void task_failed(const kube::FailedTask& failed);
  kube::Async<void> end_without(std::string task);

  void news() override { p_.news.give(); }
  void pod(const Json& pod) override;
  void pod_gone(const std::string& ns, const std::string& name) override;
  void pod_group(const Json& group) override;
  void pod_group_gone(const std::string& ns, const std::string& name) override;
  void failed_bind_request(const BindRequestName& request) override;
  void stranded_bind_request(const BindRequestName& request) override {
    if (p_.vitals.is_leader) p_.binder.remove_bind_request(request);
  }

  void rival_decided(const RivalDecision& act) override;

  Services p_;
  Leadership leadership_;
  Cycles cycles_;
  Reload reload_;
  bool is_giving_up_ = false, has_failed_ = false;
};

int Daemon::run() {
  const Trouble trouble = [this](const std::string& text) {
    p_.loop.post([this, text] { p_.log.repeated_warning(text); });
  };
  HttpServer server(p_.metrics, p_.vitals, p_.options.shadow ? &p_.shadow.ledger() : nullptr, trouble);
  const auto port = server.start(p_.options.listen_address);
  if (!port) {
    p_.log.error(port.error().text());
    return kFailed;
  }
  p_.log.info("muster serve", {{"server", p_.client.server()},
                               {"scheduler", p_.options.scheduler_name},
                               {"listen", p_.options.listen_address},
                               {"port", std::to_string(*port)}});
  if (p_.options.dry_run) p_.log.warning("dry run: the API server validates every write and stores none");
  if (p_.options.shadow) p_.log.warning("shadow: decides alongside another scheduler and writes nothing");
  const auto last_cycle = [this]() -> std::optional<std::string> {
    if (!p_.vitals.is_leader) return std::nullopt;  // no cycle will come
    const auto snapshot = p_.snapshots.ask();
    return snapshot == nullptr ? std::nullopt : std::optional(text_of(*snapshot));
  };
  Interface web(upstream_of(p_.client), p_.views,
                {p_.options.web, p_.options.web_asks_tokens, last_cycle, trouble});
  if (!p_.options.web.address.empty()) {
    const auto web_port = web.start();
    if (!web_port) {
      p_.log.error(web_port.error().text());
      return kFailed;
    }
    p_.log.info("web", {{"listen", p_.options.web.address}, {"port", std::to_string(*web_port)}});
  }
  p_.loop.on_failed_task = [this](const kube::FailedTask& failed) { task_failed(failed); };
  const Signals signals([this](int signal) { p_.loop.post([this, signal] { on_signal(signal); }); });
  p_.loop.post([this] { kube::spawn(start(), "starting", kube::TaskKind::kEssential); });
  p_.loop.run();
  p_.snapshots.close();
  const int exit_code = leadership_.was_lost() || has_failed_ ? kFailed : kDone;
  // Computing an answer may take longer than the kubelet waits for the process to end.
  if (!web.stop(kWebStopTimeout)) std::_Exit(exit_code);
  return exit_code;
}

kube::Async<void> Daemon::start() {
  p_.vitals.last_tick = p_.vitals.last_cycle = Clock::now();
  p_.source.start();
  kube::spawn(tick(), "monitoring the scheduler", kube::TaskKind::kEssential);
  kube::spawn(cycles_.run(), "running cycles", kube::TaskKind::kEssential);
  kube::spawn(reload_.run(), "reloading the configuration", kube::TaskKind::kEssential);
  leadership_.begin();
  co_return;
}

// The scheduler cannot work without an essential task: it ends, so that another replica leads or a new one
// starts.
void Daemon::task_failed(const kube::FailedTask& failed) {
  p_.log.error(failed.text());
  if (failed.kind != kube::TaskKind::kEssential) return;
  has_failed_ = true;
  if (failed.name == kEnding && cycles_.hangs()) std::_Exit(kFailed);
  if (failed.name == kEnding) return p_.loop.stop();
  if (std::exchange(is_giving_up_, true)) return;
  kube::spawn(end_without(failed.name), kEnding, kube::TaskKind::kEssential);
}

// Ends as after a signal, but does not wait for writes in progress: they may be based on wrong state.
kube::Async<void> Daemon::end_without(std::string task) {
  p_.log.error("exiting: the scheduler cannot continue without the task " + task);
  p_.vitals.is_draining = true;
  p_.client.begin_draining();
  p_.client.forbid_writes();
  co_await leadership_.release();
  p_.loop.stop();
}

kube::Async<void> Daemon::tick() {
  for (bool goes_on = true; goes_on;) {
    goes_on = co_await p_.loop.sleep(kTick);
    p_.vitals.last_tick = Clock::now();
    p_.vitals.is_synced = p_.source.is_synced();
    const auto [silent_kind, since] = p_.source.most_silent();
    p_.vitals.silent_kind = silent_kind;
    p_.vitals.last_contact = since;
    if (cycles_.hangs() && !is_giving_up_) {
      is_giving_up_ = true;
      kube::spawn(give_up_hung_cycle(), kEnding, kube::TaskKind::kEssential);
    }
    const std::size_t binds = p_.assumptions.binds_open(), evictions = p_.assumptions.evictions_open();
    p_.metrics.queued(binds, evictions, p_.client.waiting());
    p_.metrics.left_out(p_.source.unusable_objects());
    if (p_.self_check.is_wanted(binds + evictions + p_.client.waiting() > 0))
      kube::spawn(check(), "checking the model");
  }
}

kube::Async<void> Daemon::check() {
  const bool is_read = co_await p_.self_check.read();
  if (is_read) p_.news.give();
}

void Daemon::on_signal(int signal) {
  if (signal == SIGUSR1) return kube::spawn(check(), "checking the model");
  if (p_.vitals.is_draining) return p_.loop.stop();
  p_.vitals.is_draining = true;
  p_.log.info("shutting down");
  kube::spawn(drain(), "shutting down", kube::TaskKind::kEssential);
}

// Carries out what was decided, drops status updates, and then releases the lease so that another replica can
// lead at once. Nothing is written after that.
kube::Async<void> Daemon::drain() {
  const auto end = Clock::now() + kDrainTime;
  p_.client.begin_draining();
  p_.status.close();
  p_.job_status.close();
  p_.queue_status.close();
  while (is_busy() && Clock::now() < end && !p_.loop.stopping()) co_await p_.loop.sleep(milliseconds(10));
  co_await p_.usage.finish();
  p_.client.forbid_writes();
  co_await leadership_.release();
  p_.log.info("stopped");
  p_.loop.stop();
}

bool Daemon::is_busy() const {
  return p_.sink.open_writes() > 0 || p_.client.writes_in_flight() > 0 || cycles_.is_in_cycle();
}

// A hanging thread cannot be stopped, so the process exits and another replica leads or a new one starts.
kube::Async<void> Daemon::give_up_hung_cycle() {
  p_.log.error("a cycle hangs; releasing the lease and exiting");
  p_.client.forbid_writes();
  co_await leadership_.release();
  std::_Exit(kFailed);
}

// ---------------------------------------------------------------- what the watch shows

void Daemon::pod(const Json& pod) {
  if (p_.options.groups_pods) p_.grouping.saw(pod);
}

void Daemon::pod_gone(const std::string& ns, const std::string& name) {
  if (p_.options.groups_pods) p_.grouping.pod_gone(ns, name);
}

void Daemon::pod_group(const Json& group) {
  p_.status.saw_group(group);
  p_.job_status.saw_group(group);
  p_.notices.saw_group(group);
}

void Daemon::pod_group_gone(const std::string& ns, const std::string& name) {
  p_.status.group_gone(ns, name);
  p_.notices.group_gone(ns, name);
  p_.job_status.group_gone(ns, name);
  p_.groups.group_gone(ns, name);
  p_.binder.refused_jobs().forget(ns + "/" + name);
}

void Daemon::failed_bind_request(const BindRequestName& request) {
  if (!p_.vitals.is_leader) return;
  const TaskId pod = p_.cluster.find_task(request.ns, request.name);
  const JobId job = pod.valid() ? p_.cluster.task(pod).job : JobId();
  p_.binder.bind_request_failed(request, job.valid() ? p_.cluster.job(job).name : "");
}

// Writes of the former leader may still arrive, and in a dry run other schedulers are expected to act.
void Daemon::rival_decided(const RivalDecision& act) {
  if (p_.options.shadow) return p_.shadow.placed_by_other(act);
  if (p_.options.dry_run || !leadership_.leads_for(kFormerLeaderGrace)) return;
  const std::string text = std::string("another scheduler named ") + p_.options.scheduler_name + " " +
                           act.what +
                           ": both are active and may assign the same resources twice; stop one of them";
  p_.metrics.rival_decided();
  p_.log.repeated_warning(text, {{"pod", act.ns + "/" + act.name}});
  for (const ObjectReference& about :
       {ObjectReference{"v1", "Pod", act.ns, act.name, act.uid}, lease_reference(p_.options)})
    p_.events.record({.about = about, .is_warning = true, .reason = "AnotherScheduler", .message = text});
}

}  // namespace

int run_daemon(DaemonOptions options, Policy policy, kube::Credentials credentials) {
  hold_signals();
  Daemon daemon(std::move(options), std::move(policy), std::move(credentials));
  return daemon.run();
}

}  // namespace muster::serve
