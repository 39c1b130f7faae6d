// `muster top`: shows queues, pending jobs and nodes; on a terminal, refreshes the view.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>

#include "answers/explain.hpp"
#include "cli/cli.hpp"
#include "cli/commands.hpp"
#include "cli/explain/explain_text.hpp"
#include "cli/input/read_inputs.hpp"
#include "cli/input/state_source.hpp"
#include "cli/options.hpp"
#include "cli/top/screen.hpp"
#include "cli/top/top_view.hpp"
#include "terminal/output.hpp"

namespace muster::cli {
namespace {

struct TopCommand {
  loader::InputOptions inputs;
  StateSource source;
  report::JobFilter filter;
  std::string output = "text";
  bool all = false;
};

constexpr auto kPeriod = std::chrono::milliseconds(2000);
constexpr auto kTrend = std::chrono::minutes(1);

// Whether to print messages about the input. They are printed only before the first view, not over a
// refreshed one.
enum class Messages : unsigned char { kPrint, kDrop };

std::optional<loader::Inputs> read_quietly(const loader::InputOptions& options, int& exit_code) {
  loader::Inputs inputs = loader::read_all(options);
  exit_code = inputs.exit_code(options.strict);
  if (exit_code != kSuccess) return std::nullopt;
  return inputs;
}

// Returns nullopt and sets `exit_code` if the cluster cannot be read.
std::optional<TopView> read_view(const TopCommand& options, Messages messages, int& exit_code) {
  TemporaryFile live;
  loader::InputOptions wanted = options.inputs;
  exit_code = add_source_files(options.source, live, wanted);
  if (exit_code != kSuccess) return std::nullopt;
  auto inputs =
      messages == Messages::kPrint ? read_inputs(wanted, exit_code) : read_quietly(wanted, exit_code);
  if (!inputs) return std::nullopt;
  if (const std::string problem = report::problem_with(options.filter, inputs->cluster);
      !problem.empty() && messages == Messages::kPrint) {
    write_message("error: {}", problem);
    exit_code = kUsage;
    return std::nullopt;
  }
  return top_view(*std::move(inputs), options.filter);
}

TextStyle style_of(const TopCommand& options) {
  return {
      .paint = Painter::for_stream(stdout), .width = columns_of(stdout, kWidthOfFiles), .all = options.all};
}

int print_once(const TopCommand& options) {
  int exit_code = kSuccess;
  const auto view = read_view(options, Messages::kPrint, exit_code);
  if (!view) return exit_code;
  if (options.output == "json")
    write_json(top_json(*view));
  else
    write_out(top_text(*view, style_of(options)));
  return kSuccess;
}

// The refreshed view on a terminal: the overview, or the explanation of one job.
class LiveView {
 public:
  explicit LiveView(const TopCommand& options) : options_(options) {}

  int run() {
    int exit_code = kSuccess;
    auto view = read_view(options_, Messages::kPrint, exit_code);
    if (!view) return exit_code;
    compare_with_earlier(*view);
    Screen screen;
    for (;;) {
      draw(screen, *view);
      const Key key = screen.read(kPeriod);
      if (key == Key::kQuit && explained_.empty()) return kSuccess;
      if (key != Key::kNone) {
        take(key, *view);
        continue;
      }
      if (!explained_.empty()) continue;
      auto next = read_view(options_, Messages::kDrop, exit_code);
      if (!next) return exit_code;
      view = std::move(next);
      compare_with_earlier(*view);
    }
  }

 private:
  void draw(Screen& screen, const TopView& view) {
    if (!explained_.empty()) return screen.draw(explained_ + "\nq: back\n", first_);
    TextStyle style = style_of(options_);
    style.all = true;  // the list scrolls, so all rows can be reached
    if (!view.waiting.empty()) selected_ = std::min(selected_, view.waiting.size() - 1);
    const Text text = top_text(view, style, selected_);
    screen.draw(text, first_line_for(text.str(), screen.rows()));
  }

  // The first line to draw so that the selected job is visible, with as much above it as fits.
  static std::size_t first_line_for(const std::string& text, std::size_t rows) {
    const std::size_t selected = text.find("\n  >");
    if (selected == text.npos) return 0;
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(selected);
    const auto line = static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
    return line + 1 > rows ? line + 1 - rows : 0;
  }

  // Sets the figures that the trend compares with: those from a minute ago, or the oldest since the start.
  void compare_with_earlier(TopView& view) {
    const auto now = std::chrono::steady_clock::now();
    GpusByQueue held = std::exchange(view.held_before, {});
    while (earlier_.size() > 1 && now - earlier_.front().first > kTrend) earlier_.pop_front();
    view.held_before = earlier_.empty() ? held : earlier_.front().second;
    earlier_.emplace_back(now, std::move(held));
  }

  void take(Key key, const TopView& view) {
    const bool is_list = explained_.empty();
    if (key == Key::kUp) is_list ? selected_ -= selected_ > 0 : first_ -= first_ > 0;
    if (key == Key::kDown) is_list ? selected_ += selected_ + 1 < view.waiting.size() : ++first_;
    if (!is_list && (key == Key::kBack || key == Key::kQuit)) explained_ = {}, first_ = 0;
    if (is_list && key == Key::kEnter && selected_ < view.waiting.size()) {
      const answers::State state{view.before, view.inputs.policy, view.inputs.now, &view.times};
      const answers::Explanation e = answers::explain(state, view.waiting[selected_].job);
      explained_ = explanation_text(view.before, e, view.inputs.now, style_of(options_));
    }
  }

  const TopCommand& options_;
  Text explained_;
  std::size_t selected_ = 0, first_ = 0;
  std::deque<std::pair<std::chrono::steady_clock::time_point, GpusByQueue>> earlier_;
};

int run_top(const TopCommand& options) {
  const bool is_live = options.source.is_live || !options.source.server.empty() ||
                       (is_kubectl_plugin() && options.inputs.paths.empty());
  const bool is_screen = is_terminal(stdout) && ::isatty(STDIN_FILENO) != 0;
  return is_live && is_screen && options.output == "text" ? LiveView(options).run() : print_once(options);
}

}  // namespace

void add_top(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<TopCommand>();
  CLI::App* command = app.add_subcommand("top", "Show queues, pending jobs with reasons, and nodes");
  command->group("Inspect jobs");
  add_input_options(*command, options->inputs, {.needs_files = false});
  add_source_options(*command, options->source);
  add_filters(*command, options->filter);
  add_output_option(*command, options->output);
  command->add_flag("--all", options->all, "Show long lists in full");
  command->footer(
      "On a terminal with a live cluster, the view refreshes every two seconds: arrow keys select a job,\n"
      "enter explains it, q goes back or quits. Otherwise, the view is printed once. The trend of a queue\n"
      "is the change of its GPUs in use over the last minute; if printed once, over the next cycle.\n\n"
      "Examples:\n"
      "  muster top cluster/\n"
      "  muster top --context prod\n"
      "  muster top --server http://127.0.0.1:8081 --queue research");
  command->callback([options, &exit_code] { exit_code = run_top(*options); });
}

}  // namespace muster::cli
