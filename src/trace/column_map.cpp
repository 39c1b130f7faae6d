// Assignments are parsed once and then bound to the columns of a header.
#include "trace/column_map.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "trace/values.hpp"
#include "util/suggest.hpp"

namespace muster::trace {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

ColumnMap::ColumnMap(std::span<const std::string_view> fields) : fields_(fields) {
  for (const std::string_view field : fields)
    sources_.push_back({.expression = Expression::column(std::string(field))});
}

Result<void> ColumnMap::assign(std::string_view assignments) {
  auto parsed = parse_assignments(assignments);
  if (!parsed) return parsed.error();
  for (Assignment& assignment : *parsed) {
    const auto found = std::ranges::find(fields_, assignment.name);
    if (found == fields_.end())
      return Error{fmt::format("character {}: unknown column \"{}\"{}; known columns: {}",
                               assignment.position, shortened(assignment.name),
                               did_you_mean(assignment.name, fields_), fmt::join(fields_, ", ")),
                   {}};
    sources_[static_cast<std::size_t>(found - fields_.begin())] = {
        .expression = std::move(assignment.expression), .is_given = true};
  }
  return {};
}

Result<std::vector<std::string>> ColumnMap::bind(const Header& header) {
  std::vector<std::string> wanted;
  const std::vector<std::string_view> known(header.columns.begin(), header.columns.end());
  for (std::size_t field = 0; field < sources_.size(); ++field) {
    Source& source = sources_[field];
    const auto& columns = source.expression.columns();
    for (const std::string& column : columns)
      if (header.is_complete && source.is_given && !contains(header.columns, column))
        return Error{
            fmt::format("the file has no column \"{}\" for {}{}; its columns are {}", shortened(column),
                        fields_[field], did_you_mean(column, known), fmt::join(known, ", ")),
            {}};
    source.is_there = source.is_given || contains(header.columns, columns.front());
    source.is_bound = source.is_there || !header.is_complete;
    if (!source.is_bound) continue;
    source.first = wanted.size();
    wanted.insert(wanted.end(), columns.begin(), columns.end());
  }
  for (const std::string& column : header.columns)
    if (!contains(wanted, column)) unused_.push_back(shortened(column) + did_you_mean(column, fields_));
  return wanted;
}

Result<Value> ColumnMap::value(std::size_t field, std::span<const std::string_view> values) const {
  const Source& source = sources_[field];
  if (!source.is_bound) return Value{};
  return source.expression.of(values.subspan(source.first, source.expression.columns().size()));
}

std::string ColumnMap::described(std::size_t field) const {
  const std::string& made_of = sources_[field].expression.text();
  return made_of == fields_[field] ? made_of : fmt::format("{} = {}", fields_[field], made_of);
}

}  // namespace muster::trace
