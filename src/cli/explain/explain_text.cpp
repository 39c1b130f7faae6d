// Writes one section for each part of the explanation. A section without content is left out.
#include "cli/explain/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/api_forms.hpp"
#include "cli/explain/queue_hint.hpp"
#include "model/reason_text.hpp"
#include "report/job_state.hpp"
#include "util/names.hpp"
#include "util/words.hpp"

namespace muster::cli {
namespace {

using answers::Explanation;
using answers::JobState;

constexpr std::size_t kMostAhead = 5;

class ExplainText {
 public:
  ExplainText(const Cluster& cluster, const Explanation& e, TimePoint now, const TextStyle& style)
      : c_(cluster), e_(e), job_(cluster.job(e.job)), now_(now), style_(style) {}

  Text text() {
    out_ = wrapped(format_text("{} {}.", style_.paint(Color::kBold, name(e_.job)), sentence()), "",
                   style_.width);
    add_now();
    add_eviction();
    add_queue_position();
    add_reasons();
    add_tried();
    add_help();
    add_start();
    add_running();
    return out_;
  }

 private:
  bool is_pending() const { return e_.state == JobState::kWaiting || e_.state == JobState::kEvicted; }
  void part(const char* title) { out_ += style_.heading(title); }
  void say(const std::string& text) { out_ += wrapped(text, "  ", style_.width); }
  void item(const std::string& text) { out_ += wrapped(text, "    ", style_.width); }

  // The name without the namespace if that is "default".
  std::string name(JobId job) const {
    return c_.job(job).ns == "default" ? c_.job(job).name : c_.job(job).full_name();
  }

  // ---------------------------------------------------------------- the first sentence

  std::string sentence() const {
    switch (e_.state) {
      case JobState::kRunning:
        return running_sentence();
      case JobState::kEvicted:
        return evicted_sentence();
      case JobState::kFinished:
        return "has ended";
      case JobState::kUnknown:
        return job_.counts.total() == 0 ? "has no pods" : "is in an unknown state";
      case JobState::kWaiting:
        break;
    }
    if (e_.is_nominated) return "is nominated to a node and starts once the evicted pods have terminated";
    if (!e_.waiting.reasons.empty()) return "is pending: " + muster::text_of(c_, e_.waiting.reasons.front());
    return "is pending; no blocking reason was found";
  }

  std::string running_sentence() const {
    const std::string rest = e_.wants_more_pods ? "; more of its pods are pending" : "";
    return (e_.is_placed_now ? "will be bound in this cycle" : "is running") + rest;
  }

  std::string evicted_sentence() const {
    const answers::EvictionRecord& r = *e_.receipt;
    const std::string by = r.action.empty() ? "" : " by " + r.action;
    return fmt::format("was evicted at {}{}{}{}", r.at, by, r.by_job.empty() ? "" : " for " + r.by_job,
                       r.rule.empty() || r.rule == r.action ? "" : ": " + r.rule);
  }

  // ---------------------------------------------------------------- now

  std::string since_text() const {
    const bool starts_now = e_.state == JobState::kRunning && job_.counts.in(kAllocatedSet) == 0;
    if (!e_.since || starts_now) return "";
    const char* word = e_.state == JobState::kRunning ? "Running" : "Pending";
    return fmt::format("{} since {} ({}). ", word, format_time(*e_.since), format_age(now_ - *e_.since));
  }

  void add_now() {
    part("Now");
    say(since_text() + (e_.state == JobState::kFinished ? ended_pods() : pods_now()));
    say(fmt::format("{}{}. Priority {} ({}), {} (from {}).",
                    job_.queue_name.empty() ? "No queue" : "Queue " + job_.queue_name, above(), job_.priority,
                    priority_words(), answers::name_of(job_.preemptibility),
                    answers::name_of(job_.preemptibility_source)));
  }

  std::string pods_now() const {
    return fmt::format(
        "{} of {} running, {} required. {} requested.", grouped_count(job_.counts.in(kAllocatedSet)),
        counted(static_cast<std::size_t>(job_.counts.in(kAlive)), "pod"),
        grouped_count(report::minimum_pods(job_)), amount_text(Accounted::kGpus, report::gpus_of(c_, job_)));
  }
  std::string ended_pods() const {
    const auto pods = [&](TaskStatus status) {
      return counted(static_cast<std::size_t>(job_.counts.of(status)), "pod");
    };
    return fmt::format("{} succeeded, {} failed.", pods(TaskStatus::kSucceeded), pods(TaskStatus::kFailed));
  }

  std::string above() const {
    std::string text;
    if (!job_.queue.valid()) return text;
    for (QueueId q = c_.queue(job_.queue).parent; q.valid(); q = c_.queue(q).parent)
      text += " below " + c_.queue(q).shown_name();
    return text;
  }

  std::string priority_words() const {
    const auto& classes = c_.kept().all<PriorityClassObject>();
    if (classes.contains(job_.priority_class)) return "class " + job_.priority_class;
    for (const auto& [name, object] : classes)
      if (object.global_default) return "default class " + name;
    return "default, no class";
  }

  // ---------------------------------------------------------------- evicted

  void add_eviction() {
    if (!e_.receipt) return;
    const answers::EvictionRecord& r = *e_.receipt;
    part("Evicted");
    say(fmt::format("At {}{}{}{}.", r.at, r.action.empty() ? "" : ", by action " + r.action,
                    r.by_job.empty() ? "" : ", to make room for " + r.by_job,
                    r.rule.empty() || r.rule == r.action ? "" : ", rule: " + r.rule));
    if (!r.pods.empty()) say("Pods: " + summarised(r.pods) + ".");
    if (r.runtime_lost_seconds)
      say(fmt::format("It had been running for {}.",
                      format_duration(std::chrono::round<std::chrono::seconds>(
                          std::chrono::duration<double>(*r.runtime_lost_seconds)))));
    if (!r.alternatives.empty())
      say("The rules would also have allowed evicting: " + summarised(r.alternatives) + ".");
    if (r.action.empty()) say("The action is unknown: the PodGroup records only the time of the eviction.");
  }

  // ---------------------------------------------------------------- queue position

  void add_queue_position() {
    if (e_.line.overall == 0 || e_.state == JobState::kRunning) return;
    part("Queue position");
    const auto& ahead = e_.line.ahead;
    say(fmt::format("Number {} in its queue, {} overall.{}", grouped(e_.line.in_queue),
                    grouped(e_.line.overall),
                    ahead.empty() ? " No job is ahead." : " The nearest jobs ahead:"));
    for (std::size_t i = 0; i < ahead.size() && i < kMostAhead; ++i) {
      const answers::Ahead& a = ahead[ahead.size() - 1 - i];
      item(fmt::format("{} ({}), by {}", name(a.job), c_.job(a.job).queue_name, a.rule));
    }
    if (ahead.size() > kMostAhead) item(fmt::format("and {} more", grouped(ahead.size() - kMostAhead)));
  }

  // ---------------------------------------------------------------- reasons

  void add_reasons() {
    if (e_.waiting.reasons.empty()) return;
    part("Reasons");
    for (const JobReason& r : e_.waiting.reasons) {
      out_ += "  " + style_.paint(Color::kWaiting, code_of(r.rule)) + "\n";
      item(muster::text_of(c_, r));
    }
    if (!e_.nodes.empty()) say("Nodes:");
    for (const answers::RefusingNodes& n : e_.nodes)
      item(fmt::format("{}: {}{}", counted(static_cast<std::size_t>(n.count), "node"),
                       muster::text_of(c_, n.refusal), examples(n)));
    if (!e_.closest.empty()) say("Closest nodes:");
    for (const answers::ClosestNode& n : e_.closest)
      item(fmt::format("{}: {}", c_.node(n.node).name, n.lacks));
  }

  static std::string examples(const answers::RefusingNodes& n) {
    if (n.examples.empty()) return "";
    const bool has_more = n.count > std::ssize(n.examples);
    return fmt::format(" [{}{}]", fmt::join(n.examples, ", "), has_more ? ", …" : "");
  }

  // ---------------------------------------------------------------- tried

  void add_tried() {
    if (e_.waiting.searches.empty()) return;
    part("Tried");
    for (const SearchReport& r : e_.waiting.searches) {
      std::string text =
          fmt::format("{}: {} evictable; tried {} of victims: {}", r.action,
                      counted(static_cast<std::size_t>(r.candidates), "job"),
                      counted(static_cast<std::size_t>(r.scenarios), "set"), failure_text(c_, r));
      if (r.end == SearchEnd::kLikeJob) text = fmt::format("{}: {}", r.action, failure_text(c_, r));
      say(text);
      for (const NotEvictableJobs& s : r.spared)
        item(fmt::format("not evictable: {} with {}: {}", counted(static_cast<std::size_t>(s.jobs), "job"),
                         amount_text(Accounted::kGpus, s.held.share(Accounted::kGpus)), spared_text(c_, s)));
    }
  }

  // ---------------------------------------------------------------- what would help

  void add_help() {
    if (!e_.helps || !is_pending()) return;
    const answers::Helps& helps = *e_.helps;
    part("What would help");
    if (helps.starts_by_itself)
      return say(fmt::format("Nothing to do: it will be placed within {}.",
                             counted(static_cast<std::size_t>(helps.cycles), "cycle")));
    if (const auto hint = hint_about_queue()) return say(*hint);
    if (helps.changes.empty() && !helps.is_cut) say("None of the single changes tried is enough.");
    for (const answers::Help& h : helps.changes) {
      say(answers::text_of(h.change));
      item(cost_text(c_, h));
    }
    if (helps.is_cut) say("The search stopped at its time limit; there may be more options.");
  }

  std::optional<std::string> hint_about_queue() const {
    for (const JobReason& r : e_.waiting.reasons)
      if (auto hint = queue_hint(c_, job_, r)) return hint;
    return std::nullopt;
  }

  // ---------------------------------------------------------------- expected start

  void add_start() {
    if (e_.recorded_start && is_pending()) {
      part("Expected start");
      return say(e_.recorded_start->at
                     ? fmt::format("In the recorded run: {}.", time_text(*e_.recorded_start->at))
                     : "Not before the recorded run ends.");
    }
    if (!e_.start || (e_.helps && e_.helps->starts_by_itself)) return;
    part("Expected start");
    say(start_sentence(*e_.start));
    const answers::EstimateBasis& basis = e_.start->basis;
    say(fmt::format(
        "Durations of running jobs: {} declared, {} estimated from history, {} unknown (assumed endless).",
        grouped_count(basis.expected), grouped_count(basis.history), grouped_count(basis.unknown)));
  }

  static std::string grouped_count(std::int64_t count) { return grouped(static_cast<std::size_t>(count)); }

  std::string time_text(TimePoint at) const {
    return at <= now_ ? "now" : fmt::format("{} (in {})", format_time(at), format_age(at - now_));
  }

  std::string start_sentence(const answers::StartEstimate& s) const {
    if (s.futures == 0) return "Could not be simulated within the time limit of one second.";
    const std::string futures = counted(static_cast<std::size_t>(s.futures), "simulated future");
    if (!s.p50)
      return s.rests_on_unknown ? "Unknown: it depends on running jobs whose durations are not known."
                                : "Never in the current state: no job that finishes would free room for it.";
    if (s.p50 == s.p90) return fmt::format("About {}.", time_text(*s.p50));
    if (!s.p90)
      return fmt::format("In half of {} it starts by {}; in {:.0f} % it never starts.", futures,
                         time_text(*s.p50), 100 * s.never);
    return fmt::format("In half of {} it starts by {}; in 90 % of them by {}.", futures, time_text(*s.p50),
                       time_text(*s.p90));
  }

  // ---------------------------------------------------------------- running jobs

  static std::string terms_text(const std::vector<answers::ScoreTerm>& terms) {
    std::string text;
    for (const answers::ScoreTerm& t : terms)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", t.plugin, decimal(t.score));
    return text.empty() ? "no plugin scored it" : text;
  }

  void add_running() {
    if (!e_.running) return;
    part("Placement");
    for (const answers::PlacedPod& s : e_.running->placed_pods) {
      say(fmt::format("{} on {}: {}", c_.task(s.task).name, c_.node(s.node).name, terms_text(s.terms)));
      if (!s.next_best.empty()) item(fmt::format("next best {}: {}", s.next_best, terms_text(s.next_terms)));
    }
    if (e_.running->more_placed_pods > 0)
      say(fmt::format("and {} more", grouped(e_.running->more_placed_pods)));
    part("Possible preemptors");
    if (!e_.running->may_lose_pods) return say("None: it is not preemptible.");
    if (e_.running->protected_until)
      say(fmt::format("Protected by its minimum runtime until {}.",
                      format_time(*e_.running->protected_until)));
    if (e_.running->preemptors.empty()) return say("None of the pending jobs.");
    for (const answers::Preemptor& t : e_.running->preemptors)
      item(fmt::format("{} by {}{}", name(t.job), t.action,
                       t.rule.empty() ? ", now"
                       : t.until      ? fmt::format(", not before {} ({})", format_time(*t.until), t.rule)
                                      : fmt::format(", once this job is no longer protected ({})", t.rule)));
  }

  const Cluster& c_;
  const Explanation& e_;
  const Job& job_;
  const TimePoint now_;
  const TextStyle& style_;
  Text out_;
};

std::string names_of(const Cluster& cluster, const std::vector<JobId>& jobs) {
  std::vector<std::string> names;
  for (JobId j : jobs)
    names.push_back(cluster.job(j).ns == "default" ? cluster.job(j).name : cluster.job(j).full_name());
  return summarised(std::move(names));
}

}  // namespace

std::string cost_text(const Cluster& cluster, const answers::Help& help) {
  if (help.evicts.empty() && help.delays.empty()) return "no other job is affected";
  std::string text;
  if (!help.evicts.empty()) text = "evicts " + names_of(cluster, help.evicts);
  if (!help.delays.empty()) text += (text.empty() ? "" : "; ") + ("delays " + names_of(cluster, help.delays));
  return text;
}

Text explanation_text(const Cluster& cluster, const Explanation& e, TimePoint now, const TextStyle& style) {
  return ExplainText(cluster, e, now, style).text();
}

}  // namespace muster::cli
