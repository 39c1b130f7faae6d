// Distinguishes JSON from CSV by the first character, and picks the needed columns from each row.
#include "trace/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "document/json.hpp"
#include "document/texts.hpp"
#include "trace/csv.hpp"
#include "trace/values.hpp"

namespace muster::trace {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

// Why the text is neither CSV nor JSON; "" if it may be.
std::string problem_with_text(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return "is UTF-16; save it as UTF-8";
  if (without_space(text).empty()) return "is empty; a trace begins with its column names";
  return "";
}

// ---------------------------------------------------------------- CSV

class CsvReader {
 public:
  CsvReader(const std::string& file, const RowUse& use) : file_(file), use_(use) {}

  template <class Forget>
  Result<void> read(std::string_view text, Forget&& forget) {
    CsvRecords records(text, separator_of(without_space(text)));
    const CsvRecord* const header = records.next();
    if (auto taken = take_header(*header); !taken) return taken;
    while (const CsvRecord* record = records.next()) {
      take(*record);
      forget(records.position());
    }
    return {};
  }

 private:
  Error at(int line, std::string message) const {
    return {std::move(message), {.file = file_, .line = line}};
  }

  Result<void> take_header(const CsvRecord& record) {
    if (!record.mistake.empty()) return at(record.line, record.mistake);
    Header header;
    for (const std::string_view name : record.values) {
      if (!is_utf8(name)) return at(record.line, "a column name is not valid UTF-8");
      if (!name.empty() && std::ranges::find(header.columns, name) != header.columns.end())
        return at(record.line, fmt::format("column \"{}\" appears twice", shortened(name)));
      header.columns.emplace_back(name);
    }
    auto wanted = use_.wanted(header);
    if (!wanted) return at(record.line, wanted.error().message);
    for (const std::string& column : *wanted)
      positions_.push_back(
          static_cast<std::size_t>(std::ranges::find(header.columns, column) - header.columns.begin()));
    width_ = header.columns.size();
    values_.resize(positions_.size());
    return {};
  }

  void take(const CsvRecord& record) {
    if (!record.mistake.empty()) return use_.bad_row(at(record.line, record.mistake));
    if (record.values.size() != width_)
      return use_.bad_row(
          at(record.line, fmt::format("has {} values, but the header has {}", record.values.size(), width_)));
    for (std::size_t i = 0; i < positions_.size(); ++i)
      values_[i] = positions_[i] < width_ ? record.values[positions_[i]] : std::string_view();
    use_.row({.file = file_, .line = record.line}, values_);
  }

  const std::string& file_;
  const RowUse& use_;
  std::size_t width_ = 0;
  std::vector<std::size_t> positions_;  // of the needed columns
  std::vector<std::string_view> values_;
};

// ---------------------------------------------------------------- JSON

std::string text_of(Json value) {
  switch (value.type()) {
    case simdjson::dom::element_type::STRING:
      return std::string(value.get_c_str().value_unsafe(), value.get_string_length().value_unsafe());
    case simdjson::dom::element_type::INT64:
    case simdjson::dom::element_type::UINT64:
    case simdjson::dom::element_type::DOUBLE:
    case simdjson::dom::element_type::BOOL:
      return simdjson::minify(value);
    default:
      return "";
  }
}

// The member with that name; a dotted name leads into nested objects.
std::string member(Json row, std::string_view column) {
  Json value;
  if (row[column].get(value) == simdjson::SUCCESS) return text_of(value);
  const std::size_t point = column.find('.');
  if (point == std::string_view::npos || row[column.substr(0, point)].get(value) != simdjson::SUCCESS)
    return "";
  return value.is_object() ? member(value, column.substr(point + 1)) : "";
}

class JsonReader {
 public:
  explicit JsonReader(const RowUse& use) : use_(use) {}

  void take(const Document& document) {
    ++rows_;
    const Json row = document.root();
    Location where{.file = document.file(), .line = document.line_of("")};
    if (where.line == 0) where.object = fmt::format("row {}", rows_);
    if (failure_) return;
    simdjson::dom::object members;
    if (row.get(members) != simdjson::SUCCESS) return use_.bad_row({"is not a JSON object", where});
    if (!wanted_ && !take_header(members, where)) return;
    texts_.clear();
    for (const std::string& column : *wanted_) texts_.push_back(value(row, column));
    values_.assign(texts_.begin(), texts_.end());
    use_.row(where, values_);
  }

  Result<void> finish(const std::string& file) const {
    if (failure_) return *failure_;
    if (!wanted_) return Error{"has no rows", {.file = file}};
    return {};
  }

 private:
  bool take_header(const simdjson::dom::object& members, const Location& where) {
    Header header{.is_complete = false};
    for (const auto member : members) header.columns.emplace_back(member.key);
    auto wanted = use_.wanted(header);
    if (wanted)
      wanted_ = std::move(*wanted);
    else
      failure_ = Error{wanted.error().message, where};
    return wanted_.has_value();
  }

  std::string value(Json row, const std::string& column) const {
    std::string derived = use_.derived ? use_.derived(row, column) : "";
    return derived.empty() ? member(row, column) : derived;
  }

  const RowUse& use_;
  std::size_t rows_ = 0;
  std::optional<std::vector<std::string>> wanted_;
  std::optional<Error> failure_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> values_;
};

Result<void> read_text(NamedText text, const RowUse& use) {
  std::string_view all = text.text.text();
  if (const std::string problem = problem_with_text(all); !problem.empty())
    return Error{problem, {.file = text.name}};
  if (all.starts_with(kMark)) all.remove_prefix(kMark.size());
  const std::string_view content = without_space(all);
  if (!content.starts_with('{') && !content.starts_with('['))
    return CsvReader(text.name, use).read(all, [&](const char* position) {
      text.text.forget_before(position);
    });
  JsonReader reader(use);
  const std::string name = text.name;
  read_documents_of(
      std::move(text), [&](const Document& document) { reader.take(document); }, use.bad_row);
  return reader.finish(name);
}

}  // namespace

Result<void> read_rows(const std::string& file, const RowUse& use) {
  Result<void> result = Error{"has no readable content", {.file = file}};
  for_each_text(
      file, [&](NamedText text) { result = read_text(std::move(text), use); },
      [&](const Error& error) { result = error; });
  return result;
}

Result<void> read_rows_in(const std::string& name, std::string_view text, const RowUse& use) {
  return read_text(named_text(name, text), use);
}

}  // namespace muster::trace
