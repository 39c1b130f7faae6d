// Prints the notes, warnings and errors of the inputs.
#include "cli/input/read_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "cli/input/trace_options.hpp"
#include "policy/policy.hpp"
#include "terminal/exit_code.hpp"
#include "util/words.hpp"

namespace muster::cli {
namespace {

constexpr std::size_t kMostWarnings = 25;  // printed before the result of a command

void say(const std::vector<Error>& errors, const char* what, Notices& notices,
         std::size_t most = std::numeric_limits<std::size_t>::max()) {
  for (std::size_t i = 0; i < std::min(errors.size(), most); ++i)
    notices.say(fmt::format("{}: {}", what, errors[i].text()));
  if (errors.size() > most)
    notices.say(fmt::format("{}: … and {}; muster validate shows them all", what,
                            counted(errors.size() - most, "more")));
}

}  // namespace

std::optional<loader::Inputs> read_inputs(const loader::InputOptions& options, int& exit_code) {
  Notices notices;
  return read_inputs(options, exit_code, notices);
}

std::optional<loader::Inputs> read_inputs(const loader::InputOptions& options, int& exit_code,
                                          Notices& notices) {
  std::optional<loader::TraceInput> trace;
  if (!options.trace.is_empty()) {
    trace = read_trace_input(options.trace, options.strict, notices, exit_code);
    if (!trace) return std::nullopt;
  }
  loader::Inputs inputs = loader::read_all(options, std::move(trace));
  if (const std::string skipped = policy::skipped_text(inputs.config); !skipped.empty())
    notices.say("note: " + skipped);
  for (const std::string& note : inputs.notes) notices.say("note: " + note);
  say(inputs.findings.warnings, options.strict ? "error" : "warning", notices, kMostWarnings);
  say(inputs.findings.errors, "error", notices);
  say(inputs.unreadable, "error", notices);
  exit_code = inputs.exit_code(options.strict);
  if (exit_code != kSuccess) return std::nullopt;
  return inputs;
}

}  // namespace muster::cli
