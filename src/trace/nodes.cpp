// Reads rows like those of jobs and creates a node from each.
#include "trace/nodes.hpp"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/resources.hpp"
#include "trace/column_map.hpp"
#include "trace/fields.hpp"
#include "trace/formats.hpp"
#include "trace/rows.hpp"
#include "trace/values.hpp"

namespace muster::trace {
namespace {

enum class NodeField : std::uint8_t { kNode, kGpus, kCpu, kMemory, kModel, kCount, kPods };
constexpr std::array<std::string_view, 7> kNodeFields{"node",  "gpus",  "cpu", "memory",
                                                      "model", "count", "pods"};
constexpr std::size_t index(NodeField field) { return static_cast<std::size_t>(field); }

constexpr std::size_t kMostBadRows = 1000;
constexpr std::int32_t kMostNodes = 1'000'000;
constexpr std::int32_t kUsualPods = 110;  // default of the kubelet
constexpr std::int32_t kMostGpus = 1024;  // per node
constexpr const char* kProduct = "nvidia.com/gpu.product";
constexpr const char* kHost = "kubernetes.io/hostname";

// The content of one row.
struct NodeRow {
  std::string name, model;
  std::int32_t gpus = 0, count = 1, pods = kUsualPods;
  std::int64_t milli_cores = 0, bytes = 0;
};

class NodeReader {
 public:
  explicit NodeReader(const Format* format) : format_(format), map_(kNodeFields) {}

  RowUse use() {
    return {.wanted = [this](const Header& header) { return bind(header); },
            .row = [this](const Location& where, auto values) { take(where, values); },
            .bad_row = [this](const Error& error) { ++list_.rows, skip(error); }};
  }

  NodeList finish() {
    for (const NodeField field : {NodeField::kCpu, NodeField::kMemory})
      if (!map_.has(index(field)) && !list_.nodes.empty())
        list_.notes.push_back(
            fmt::format("no column {0}: nodes have none, so pods that request {0} fit nowhere",
                        kNodeFields[index(field)]));
    return std::move(list_);
  }

 private:
  // A list with muster's column names is read by these names, whatever the format of the trace.
  Result<std::vector<std::string>> bind(const Header& header) {
    const auto is_there = [&](std::string_view name) {
      return std::ranges::find(header.columns, name) != header.columns.end();
    };
    const bool is_ours = is_there("node") || is_there("gpus");
    if (format_ != nullptr && !is_ours && !format_->nodes.empty()) {
      if (auto assigned = map_.assign(format_->nodes); !assigned) return assigned.error();
    } else if (!is_ours) {
      return Error{
          fmt::format("has neither a column node nor a column gpus; the columns of a node list are {}",
                      fmt::join(kNodeFields, ", ")),
          {}};
    }
    auto wanted = map_.bind(header);
    if (wanted && is_ours && !map_.unused().empty())
      list_.notes.push_back(fmt::format("ignored columns: {}", fmt::join(map_.unused(), ", ")));
    return wanted;
  }

  void take(const Location& where, std::span<const std::string_view> values) {
    ++list_.rows;
    mistake_.reset();
    const NodeRow row = row_of(values);
    if (!mistake_ && list_.nodes.size() + static_cast<std::size_t>(row.count) > kMostNodes)
      mistake_ = Error{fmt::format("a list may have at most {} nodes", kMostNodes), {}};
    if (!mistake_) add(row);
    if (!mistake_) return;
    mistake_->where.file = where.file, mistake_->where.line = where.line,
    mistake_->where.object = where.object;
    skip(*mistake_);
  }

  NodeRow row_of(std::span<const std::string_view> values) {
    NodeRow row;
    take_field(values, NodeField::kNode, name_in, [&](std::string name) { row.name = std::move(name); });
    take_field(values, NodeField::kModel, name_in, [&](std::string model) { row.model = std::move(model); });
    take_field(
        values, NodeField::kGpus, [](const Value& v) { return count_in(v, 0, kMostGpus); },
        [&](std::int32_t gpus) { row.gpus = gpus; });
    take_field(values, NodeField::kCpu, milli_cores_in,
               [&](std::int64_t amount) { row.milli_cores = amount; });
    take_field(values, NodeField::kMemory, bytes_in, [&](std::int64_t amount) { row.bytes = amount; });
    take_field(
        values, NodeField::kCount, [](const Value& v) { return count_in(v, 1, kMostNodes); },
        [&](std::int32_t count) { row.count = count; });
    take_field(
        values, NodeField::kPods, [](const Value& v) { return count_in(v, 0, kMostNodes); },
        [&](std::int32_t pods) { row.pods = pods; });
    return row;
  }

  template <class Read, class Use>
  void take_field(std::span<const std::string_view> values, NodeField field, Read read, Use use) {
    if (mistake_) return;
    const auto value = map_.value(index(field), values);
    if (!value) return fail(field, value.error().message);
    if (value->is_missing() || (value->type == Value::Type::kText && is_nothing(value->text))) return;
    auto result = read(*value);
    if (!result) return fail(field, result.error().message);
    use(std::move(*result));
  }

  // Names nodes without a name "node-7", and several nodes of one row "rack-0", "rack-1", …
  void add(const NodeRow& row) {
    for (std::int32_t i = 0; i < row.count && !mistake_; ++i) {
      std::string name = row.name.empty() ? fmt::format("node-{}", list_.nodes.size())
                         : row.count == 1 ? row.name
                                          : fmt::format("{}-{}", row.name, i);
      if (!names_.insert(name).second)
        return fail(NodeField::kNode, fmt::format("node \"{}\" already exists", name));
      list_.nodes.push_back(object_of(row, name));
    }
  }

  static NodeObject object_of(const NodeRow& row, const std::string& name) {
    NodeObject node{.meta = {.name = name, .uid = name}};
    node.meta.labels.emplace_back(kHost, name);
    if (!row.model.empty()) node.meta.labels.emplace_back(kProduct, row.model);
    node.allocatable = {{"cpu", row.milli_cores},
                        {"memory", row.bytes},
                        {"nvidia.com/gpu", row.gpus * kOneGpu},
                        {"pods", row.pods}};
    std::erase_if(node.allocatable, [](const NamedAmount& amount) { return amount.units == 0; });
    return node;
  }

  void fail(NodeField field, const std::string& message) {
    mistake_ = Error{message, {.path = map_.described(index(field))}};
  }

  void skip(const Error& error) {
    ++list_.skipped;
    if (list_.bad_rows.size() < kMostBadRows) list_.bad_rows.push_back(error);
  }

  const Format* const format_;
  ColumnMap map_;
  NodeList list_;
  absl::flat_hash_set<std::string> names_;
  std::optional<Error> mistake_;
};

}  // namespace

Result<NodeList> read_nodes(const NodeListOptions& options) {
  NodeReader reader(find_format(options.format));
  if (auto read = read_rows(options.file, reader.use()); !read) return read.error();
  return reader.finish();
}

Result<NodeList> read_nodes_in(const NodeListOptions& options, std::string_view text) {
  NodeReader reader(find_format(options.format));
  if (auto read = read_rows_in(options.file, text, reader.use()); !read) return read.error();
  return reader.finish();
}

}  // namespace muster::trace
