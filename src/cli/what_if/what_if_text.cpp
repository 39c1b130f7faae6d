// Lists the changes, then the affected jobs and queues.
#include "cli/what_if/what_if_text.hpp"

#include <fmt/format.h>

#include <map>

#include "model/reason_text.hpp"
#include "terminal/table.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

using answers::Outcome;

std::string short_name(const std::string& job) {
  constexpr std::string_view kDefault = "default/";
  return job.starts_with(kDefault) ? job.substr(kDefault.size()) : job;
}

std::string names_of(const std::vector<std::string>& jobs) {
  std::vector<std::string> names;
  for (const std::string& job : jobs) names.push_back(short_name(job));
  return summarised(std::move(names));
}

void add_jobs(const char* what, const std::vector<std::string>& jobs, const TextStyle& style, Text& text) {
  if (jobs.empty()) return;
  text += style.heading(format_text("{} ({})", what, grouped(jobs.size())));
  text += wrapped(names_of(jobs), "  ", style.width);
}

struct QueueGpus {
  double fair = 0, use = 0, quota = 0;
  bool operator==(const QueueGpus&) const = default;
};

std::map<std::string, QueueGpus> gpus_by_queue(const Outcome& outcome) {
  std::map<std::string, QueueGpus> found;
  constexpr auto kGpus = index(Accounted::kGpus);
  for (const QueueShare& share : outcome.settled.last.shares) {
    const Queue& queue = outcome.cluster.queue(share.queue);
    found[queue.name] = {share.fair_share[kGpus],
                         outcome.cluster.use(share.queue).allocated.share(Accounted::kGpus), queue.gpu.quota};
  }
  return found;
}

std::string amount(double value) { return value == -1 ? "∞" : grouped_decimal(value); }

std::string from_to(double from, double to) {
  return from == to ? amount(to) : fmt::format("{} → {}", amount(from), amount(to));
}

// Lists only queues with changes, in the order of the tree.
Text queues_text(const Outcome& before, const Outcome& after, const TextStyle& style) {
  const auto was = gpus_by_queue(before), is = gpus_by_queue(after);
  Table table({{"queue"},
               {"quota", Align::kRight, "GPUs"},
               {"fair share", Align::kRight, "GPUs"},
               {"in use", Align::kRight, "GPUs"}});
  for (const QueueShare& share : after.settled.last.shares) {
    const std::string& name = after.cluster.queue(share.queue).name;
    const auto old = was.find(name);
    const QueueGpus from = old == was.end() ? QueueGpus{} : old->second, to = is.at(name);
    if (from == to) continue;
    table.add({name, from_to(from.quota, to.quota), from_to(from.fair, to.fair), from_to(from.use, to.use)});
  }
  return table.empty() ? Text() : style.heading("Changed queues") + table.text(style.table());
}

Text waiting_text(const Outcome& after, const answers::Differences& d, const TextStyle& style) {
  if (d.still_waiting.empty()) return "";
  Text text = style.heading(format_text("Still waiting ({})", grouped(d.still_waiting.size())));
  std::size_t shown = 0;
  for (const answers::StillWaiting& w : d.still_waiting) {
    if (shown++ == style.most_rows()) {
      text += "  " + style.paint(Color::kDim, and_more(d.still_waiting.size() - style.most_rows())) + "\n";
      break;
    }
    const std::string why = w.why->reasons.empty() ? "is nominated to a node"
                                                   : muster::text_of(after.cluster, w.why->reasons.front());
    text +=
        wrapped(format_text("{}: {}", style.paint(Color::kBold, short_name(w.job)), why), "  ", style.width);
  }
  return text;
}

Text reasons_text(const answers::Differences& d, const TextStyle& style) {
  if (d.reasons.empty()) return "";
  const auto codes = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("nothing") : fmt::format("{}", fmt::join(list, ", "));
  };
  Text text = style.heading(format_text("Pending for a different reason ({})", grouped(d.reasons.size())));
  for (const answers::ReasonChange& r : d.reasons)
    text += wrapped(format_text("{}: {} → {}", short_name(r.job), codes(r.before), codes(r.after)), "  ",
                    style.width);
  return text;
}

Text unsettled_text(const Outcome& before, const Outcome& after) {
  Text text;
  for (const auto& [outcome, when] : {std::pair(&before, "without"), std::pair(&after, "with")})
    if (!outcome->settled.is_reached)
      text += format_text(
          "\nThe cluster {} the changes had not settled after {} cycles; the differences may be noise.\n",
          when, outcome->settled.cycles);
  return text;
}

}  // namespace

Text starts_text(const char* title, const std::vector<answers::StartMove>& starts, const TextStyle& style) {
  if (starts.empty()) return "";
  const auto start = [](const std::optional<TimePoint>& at) { return at ? format_time(*at) : "?"; };
  Table table({{"job"}, {"before"}, {"after"}});
  for (const answers::StartMove& move : starts)
    table.add({short_name(move.job), start(move.before), start(move.after)});
  return style.heading(format_text("{} ({})", title, grouped(starts.size()))) + table.text(style.table());
}

Text what_if_text(const std::vector<answers::Change>& changes, const Outcome& before, const Outcome& after,
                  const answers::Differences& d, const TextStyle& style) {
  Text text = style.paint(Color::kBold, "What if") + "\n";
  for (const answers::Change& change : changes) text += wrapped(answers::text_of(change), "  ", style.width);
  text += unsettled_text(before, after);
  const bool is_same = d.placed.empty() && d.evicted.empty() && d.moved.empty() && d.lost.empty() &&
                       d.drained.empty() && d.reasons.empty() && d.starts.empty();
  if (is_same) text += "\nNo job is affected.\n";
  add_jobs("Newly placed", d.placed, style, text);
  add_jobs("Newly evicted", d.evicted, style, text);
  add_jobs("Drained", d.drained, style, text);
  add_jobs("Moved", d.moved, style, text);
  add_jobs("No longer placed", d.lost, style, text);
  text += reasons_text(d, style);
  text += starts_text("Expected to start at a different time", d.starts, style);
  text += queues_text(before, after, style);
  text += waiting_text(after, d, style);
  return text;
}

}  // namespace muster::cli
