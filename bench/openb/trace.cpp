// Reads rows of CSV files by column name, and determines the order of arrival.
#include "trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "random.hpp"

namespace muster::bench::openb {
namespace {

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  for (const char c : line)
    if (c == separator)
      fields.emplace_back();
    else if (c != '\r')
      fields.back() += c;
  return fields;
}

// One row; missing columns are "".
class Row {
 public:
  Row(const std::map<std::string, std::size_t>& columns, std::vector<std::string> fields, Location where)
      : columns_(columns), fields_(std::move(fields)), where_(std::move(where)) {}

  std::string text(const std::string& column) const {
    const auto at = columns_.find(column);
    return at == columns_.end() || at->second >= fields_.size() ? "" : fields_[at->second];
  }
  std::int64_t number(const std::string& column, std::int64_t most) {
    const std::string value = text(column);
    std::int64_t n = -1;
    const auto [end, bad] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (bad == std::errc() && end == value.data() + value.size() && n >= 0 && n <= most) return n;
    where_.path = column;
    error_ = Error{fmt::format("\"{}\" is not a number from 0 to {}", value, most), where_};
    return 0;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const std::map<std::string, std::size_t>& columns_;
  std::vector<std::string> fields_;
  Location where_;
  std::optional<Error> error_;
};

template <class Take>
std::optional<Error> read_rows(const std::string& file, Take take) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return Error{"cannot be read, or is empty", {.file = file}, true};
  std::map<std::string, std::size_t> columns;
  for (const std::string& name : fields_of(line, ',')) columns.emplace(name, columns.size());
  for (int at = 2; std::getline(in, line); ++at) {
    if (line.empty()) continue;
    Row row(columns, fields_of(line, ','), {.file = file, .line = at});
    take(row);
    if (row.error()) return row.error();
  }
  return std::nullopt;
}

constexpr std::int64_t kMostMilli = 100'000'000, kMostMib = 1'000'000'000, kMostGpus = 64;

Machine machine_of(Row& row) {
  return {.name = row.text("sn"),
          .cpu_milli = row.number("cpu_milli", kMostMilli),
          .memory_mib = row.number("memory_mib", kMostMib),
          .gpus = static_cast<int>(row.number("gpu", kMostGpus)),
          .model = row.text("model")};
}

Ask ask_of(Row& row) {
  Ask ask{.cpu_milli = row.number("cpu_milli", kMostMilli),
          .memory_mib = row.number("memory_mib", kMostMib),
          .gpus = static_cast<int>(row.number("num_gpu", kMostGpus))};
  if (ask.gpus > 0) ask.gpu_milli = row.number("gpu_milli", 1000);
  for (std::string& model : fields_of(row.text("gpu_spec"), '|'))
    if (!model.empty()) ask.models.push_back(std::move(model));
  return ask;
}

}  // namespace

std::int64_t Trace::gpu_units() const {
  std::int64_t units = 0;
  for (const Machine& m : machines) units += m.gpus * 1000;
  return units;
}

Result<Trace> read_trace(const std::string& directory, const std::string& workload) {
  Trace trace;
  auto error = read_rows(directory + "/openb_node_list_gpu_node.csv",
                         [&](Row& row) { trace.machines.push_back(machine_of(row)); });
  if (!error)
    error = read_rows(directory + "/openb_pod_list_" + workload + ".csv",
                      [&](Row& row) { trace.pods.push_back(ask_of(row)); });
  if (error) return *std::move(error);
  if (trace.machines.empty() || trace.pods.empty()) return Error{"no nodes or no pods", {.file = directory}};
  return trace;
}

std::vector<Ask> arrivals(const Trace& trace, std::uint64_t seed, double load) {
  Random random(seed);
  std::vector<Ask> pods = trace.pods;
  for (std::size_t i = pods.size(); i > 1; --i) std::swap(pods[i - 1], pods[random.below(i)]);
  const auto goal = static_cast<std::int64_t>(load * static_cast<double>(trace.gpu_units()));
  std::int64_t asked = 0;
  for (const Ask& pod : pods) asked += pod.gpu_units();
  // A trace without GPUs would never request enough.
  for (bool any = asked > 0; any;) {
    const Ask& next = trace.pods[random.below(trace.pods.size())];
    if (asked + next.gpu_units() > goal) break;
    asked += next.gpu_units();
    pods.push_back(next);
  }
  return pods;
}

}  // namespace muster::bench::openb
