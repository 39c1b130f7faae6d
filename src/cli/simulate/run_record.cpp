// The same list of options is used to write the line and to read it.
#include "cli/simulate/run_record.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace muster::cli {
namespace {

using nlohmann::ordered_json;

// The absolute path, so that the record can be read from any directory. "-" (standard input) is unchanged.
std::string absolute_path(const std::string& path) {
  if (path.empty() || path == "-") return path;
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(path, ignored);
  return ignored ? path : absolute.string();
}

// Calls `use` with the name and value of each option that is not a file.
template <class Run, class Use>
void each_word(Run& run, const Use& use) {
  use("until", run.until.until);
  use("period", run.until.period);
  use("start-delay", run.until.start_delay);
  use("eviction-delay", run.until.eviction_delay);
  use("node-mtbf", run.until.node_mtbf);
  use("node-mttr", run.until.node_mttr);
  use("trace-format", run.inputs.trace.format);
  use("trace-map", run.inputs.trace.map);
}
template <class Run, class Use>
void each_file(Run& run, const Use& use) {
  use("config", run.inputs.config);
  use("usage", run.inputs.usage);
  use("trace", run.inputs.trace.trace);
  use("trace-nodes", run.inputs.trace.nodes);
}

}  // namespace

std::string run_line(const RecordedRun& run, TimePoint from) {
  ordered_json files = ordered_json::array();
  for (const std::string& path : run.inputs.paths) files.push_back(absolute_path(path));
  ordered_json line{{"at", format_time(from)}, {"kind", kRunKind}, {"files", std::move(files)}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) line[name] = value;
  };
  each_file(run, [&](const char* name, const std::string& file) { add(name, absolute_path(file)); });
  each_word(run, add);
  line["seed"] = run.until.seed;
  line["kai-exact"] = run.inputs.kai_exact;
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<RecordedRun> read_run_line(std::string_view text) {
  const auto line = nlohmann::json::parse(text, nullptr, false);
  if (!line.is_object() || line.value("kind", nlohmann::json()) != kRunKind) return std::nullopt;
  RecordedRun run;
  const auto take = [&](const char* name, std::string& value) {
    if (const auto found = line.find(name); found != line.end() && found->is_string())
      value = found->get<std::string>();
  };
  take("at", run.inputs.now);
  each_file(run, take);
  each_word(run, take);
  if (const auto files = line.find("files"); files != line.end() && files->is_array())
    for (const auto& file : *files)
      if (file.is_string()) run.inputs.paths.push_back(file.get<std::string>());
  if (const auto seed = line.find("seed"); seed != line.end() && seed->is_number_unsigned())
    run.until.seed = seed->get<std::uint64_t>();
  run.inputs.kai_exact = line.value("kai-exact", nlohmann::json()) == true;
  return parse_time(run.inputs.now) ? std::optional(std::move(run)) : std::nullopt;
}

}  // namespace muster::cli
