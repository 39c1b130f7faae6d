// The pending jobs and their reasons. Combines jobs with the same reason into one paragraph.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/reason_text.hpp"
#include "report/job_state.hpp"
#include "report/text_parts.hpp"
#include "util/names.hpp"

namespace muster::report {
namespace {

// Reasons with equal keys are shown as one. Numbers are part of the key only if `is_exact`; names of pods
// never are.
std::string key_of(const JobReason& r, bool is_exact) {
  std::string key = fmt::format("{} {} {} {} {} {}", code_of(r.rule), r.queue.index(), index(r.resource),
                                r.kind.index(), r.pod_set, r.name);
  for (const RefusalCount& n : r.nodes)
    key += fmt::format(" {} {} {} {}", code_of(n.refusal.rule), n.refusal.kind.index(), n.refusal.what,
                       is_exact ? n.nodes : 0);
  if (is_exact) key += fmt::format(" {} {} {} {} {}", r.wanted, r.held, r.bound, r.placed, r.needed);
  return key;
}

struct Paragraph {
  const WaitingJob* first;
  std::vector<JobId> jobs;
};

// If `is_exact`, a partly running job gets its own paragraph.
std::string key_of(const Job& job, const WaitingJob& w, bool is_exact) {
  std::string key = is_exact && job.counts.in(kAllocatedSet) > 0 ? job.full_name() : "";
  for (const JobReason& r : w.reasons) key += key_of(r, is_exact) + "\n";
  return w.reasons.empty() ? job.full_name() : key;
}

std::vector<Paragraph> folded(const Cluster& cluster, const std::vector<WaitingJob>& waiting, bool is_exact) {
  std::vector<Paragraph> paragraphs;
  std::map<std::string, std::size_t> places;
  for (const WaitingJob& w : waiting) {
    const std::string key = key_of(cluster.job(w.job), w, is_exact);
    const auto [found, is_new] = places.try_emplace(key, paragraphs.size());
    if (is_new) paragraphs.push_back({&w, {}});
    paragraphs[found->second].jobs.push_back(w.job);
  }
  return paragraphs;
}

// Distinguishes reasons by their numbers if the paragraphs are few enough. Otherwise the reasons that affect
// most jobs come first.
std::vector<Paragraph> paragraphs_of(const Cluster& cluster, const std::vector<WaitingJob>& waiting,
                                     const TextStyle& style) {
  std::vector<Paragraph> exact = folded(cluster, waiting, true);
  if (exact.size() <= style.most_rows()) return exact;
  std::vector<Paragraph> coarse = folded(cluster, waiting, false);
  std::stable_sort(coarse.begin(), coarse.end(),
                   [](const Paragraph& a, const Paragraph& b) { return a.jobs.size() > b.jobs.size(); });
  return coarse;
}

class Writer {
 public:
  Writer(const Cluster& cluster, const Round& last, const TextStyle& style)
      : cluster_(cluster), last_(last), style_(style), names_(cluster) {}

  Text paragraph(const Paragraph& p) const {
    Text text = "  " + title(p) + "\n";
    if (p.first->reasons.empty()) text += wrapped(without_reason(p.first->job), "    ", style_.width);
    for (const JobReason& r : p.first->reasons) text += wrapped(text_of(cluster_, r), "    ", style_.width);
    for (const SearchReport& report : p.first->searches)
      if (const std::string tried = search_text(report); !tried.empty())
        text += wrapped(tried, "    ", style_.width);
    return text;
  }

 private:
  Text title(const Paragraph& p) const {
    std::vector<std::string> names;
    for (JobId j : p.jobs) names.push_back(names_.of(j));
    Text title = style_.paint(Color::kBold, summarised(std::move(names)));
    if (p.jobs.size() > 1) title += format_text(", {} jobs with this reason", grouped(p.jobs.size()));
    if (p.jobs.size() == 1) title += progress(cluster_.job(p.jobs.front()));
    return title + codes(*p.first);
  }

  static Text progress(const Job& job) {
    const std::int32_t running = job.counts.in(kAllocatedSet);
    return running == 0 ? Text()
                        : format_text(", {} of {} running", grouped(static_cast<std::size_t>(running)),
                                      counted(static_cast<std::size_t>(job.counts.in(kAlive)), "pod"));
  }

  Text codes(const WaitingJob& w) const {
    Text text;
    for (const JobReason& r : w.reasons) text += "  " + style_.paint(Color::kWaiting, code_of(r.rule));
    return text;
  }

  // What a search tried. Returns "" for a proof, which is listed among the reasons.
  std::string search_text(const SearchReport& r) const {
    if (r.end == SearchEnd::kProven) return "";
    if (r.end == SearchEnd::kLikeJob)
      return fmt::format("{}: skipped; {} needs the same or less and did not fit", r.action,
                         names_.of(r.like));
    std::string text =
        fmt::format("{}: {} evictable", r.action, counted(static_cast<std::size_t>(r.candidates), "job"));
    for (const NotEvictableJobs& s : r.spared)
      text += fmt::format(", {} not evictable: {}", s.jobs, spared_text(cluster_, s));
    if (r.candidates == 0) return text;
    text += fmt::format("; tried {}", counted(static_cast<std::size_t>(r.scenarios), "set") + " of victims");
    return r.last_failure.empty() ? text : text + ", the last one failed: " + r.last_failure;
  }

  // What the last cycle did to a pending job for which it reported no reason.
  std::string without_reason(JobId job) const {
    const Decisions& last = last_.decisions;
    const auto is_of_job = [&](const auto& d) { return cluster_.task(d.task).job == job; };
    if (std::any_of(last.pipelined.begin(), last.pipelined.end(), is_of_job))
      return "is nominated to a node and starts once the evicted pods have terminated";
    if (std::any_of(last.evictions.begin(), last.evictions.end(), is_of_job))
      return "was evicted in the last cycle and is tried again in the next one";
    return "was not tried in the last cycle";
  }

  const Cluster& cluster_;
  const Round& last_;
  const TextStyle& style_;
  const JobNames names_;
};

}  // namespace

Text waiting_text(const Cluster& cluster, const Round& last, const std::vector<WaitingJob>& waiting,
                  const TextStyle& style) {
  if (waiting.empty()) return "";
  const std::vector<Paragraph> paragraphs = paragraphs_of(cluster, waiting, style);
  const std::size_t shown = std::min(paragraphs.size(), style.most_rows());
  const Writer writer(cluster, last, style);
  Text text = style.heading("Waiting jobs");
  for (std::size_t i = 0; i < shown; ++i) text += writer.paragraph(paragraphs[i]);
  if (shown < paragraphs.size())
    text += "  " + style.paint(Color::kDim, and_more(paragraphs.size() - shown)) + "\n";
  return text;
}

}  // namespace muster::report
