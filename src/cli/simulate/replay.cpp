// `muster simulate --replay`: prints a record as a time line.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/cli.hpp"
#include "cli/simulate/run_record.hpp"
#include "terminal/output.hpp"
#include "terminal/table.hpp"
#include "util/names.hpp"

namespace muster::cli {
namespace {

using nlohmann::json;

std::string value_at(const json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Lines with the same time that differ only in pod and node share a row.
class TimeLine {
 public:
  void add(const json& line) {
    const std::string at = value_at(line, "at"), kind = value_at(line, "kind");
    const std::string action = value_at(line, "action"), preemptor = value_at(line, "for");
    const std::string key =
        at + "\n" + kind + "\n" + action + "\n" + preemptor + "\n" + value_at(line, "job");
    ++kinds_[kind];
    if (std::exchange(at_, at) != at) at_same_time_.clear();
    const auto [known, is_new] = at_same_time_.try_emplace(key, rows_.size());
    if (is_new) rows_.push_back({at, kind, value_at(line, "job"), action, preemptor, {}, {}});
    Row& row = rows_[known->second];
    if (std::string pod = value_at(line, "pod"); !pod.empty())
      row.pods.push_back(pod.substr(pod.find('/') + 1));
    if (std::string node = value_at(line, "node"); !node.empty()) row.nodes.push_back(std::move(node));
  }

  Text text(const TextStyle& style) const {
    Table table({{"at"}, {"what"}, {"job"}, {"pods"}, {"on"}, {"by"}, {"for"}});
    for (const Row& row : rows_) {
      std::vector<std::string> nodes = row.nodes;
      std::ranges::sort(nodes);
      nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
      table.add(
          {row.at, row.kind, row.job, summarised(row.pods), summarised(nodes), row.action, row.preemptor});
    }
    std::vector<std::string> counts;
    for (const auto& [kind, count] : kinds_) counts.push_back(fmt::format("{} {}", grouped(count), kind));
    return format_text("{}\n{}\n", table.text(style.table()), fmt::format("{}", fmt::join(counts, "  ")));
  }

 private:
  struct Row {
    std::string at, kind, job, action, preemptor;
    std::vector<std::string> pods, nodes;
  };
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> kinds_, at_same_time_;  // the latter maps keys to rows
  std::string at_;
};

}  // namespace

int run_replay(const UntilOptions& options, const TextStyle& style, bool is_json) {
  std::ifstream file(options.replay);
  if (!file) {
    write_message("error: {}: cannot be read", options.replay);
    return kExternalFailure;
  }
  TimeLine time_line;
  json all = json::array(), run;
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    json line = json::parse(text, nullptr, false);
    if (!line.is_object() || value_at(line, "at").empty() || value_at(line, "kind").empty()) {
      write_message("error: {}:{}: not a line of a record (an object with at and kind)", options.replay,
                    number);
      return kNo;
    }
    if (value_at(line, "kind") == kRunKind)
      run = std::move(line);
    else if (is_json)
      all.push_back(std::move(line));
    else
      time_line.add(line);
  }
  if (is_json)
    write_json(
        json{{"schema", "muster.dev/record/v1"}, {"run", std::move(run)}, {"happenings", std::move(all)}});
  else
    write_out(time_line.text(style));
  return kSuccess;
}

}  // namespace muster::cli
