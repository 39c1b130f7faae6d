// Computes the widths of the columns, then writes the lines.
#include "terminal/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "util/words.hpp"

namespace muster {
namespace {

constexpr std::size_t kGap = 2;

Text spaces(std::size_t count) { return Text(std::string(count, ' ')); }

}  // namespace

std::string grouped_decimal(double number) {
  std::string text = decimal(number);
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) text.insert(at -= 3, ",");
  return text;
}

Text and_more(std::size_t count) { return format_text("… and {} more; --all shows them", grouped(count)); }

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) {
    column.title = printable(column.title);
    column.group = printable(column.group);
  }
}

std::vector<std::size_t> Table::widths(std::size_t shown, bool has_titles) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (has_titles) widths[i] = width_of(columns_[i].title);
    for (std::size_t r = 0; r < shown; ++r) widths[i] = std::max(widths[i], width_of(rows_[r][i].text.str()));
  }
  return widths;
}

Text Table::line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
                 const TableStyle& style) const {
  assert(row.size() == columns_.size() && "a row has a cell for every column");
  Text line = style.indent;
  std::size_t owed = 0;  // spaces to write only if another cell follows
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::size_t padding = widths[i] - width_of(row[i].text.str());
    const bool is_right = columns_[i].align == Align::kRight;
    if (is_right) owed += padding;
    if (!row[i].text.empty()) {
      line += spaces(owed) + style.paint(row[i].ink, row[i].text);
      owed = 0;
    }
    owed += kGap + (is_right ? 0 : padding);
  }
  return line + "\n";
}

std::vector<Cell> Table::titles() const {
  std::vector<Cell> titles;
  for (const Column& column : columns_) titles.emplace_back(column.title, Color::kDim);
  return titles;
}

// Returns an empty text if no column is in a group.
Text Table::groups_line(const std::vector<std::size_t>& widths, const TableStyle& style) const {
  Text line;
  std::size_t column = 0, written = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string& group = columns_[i].group;
    const bool begins = !group.empty() && (i == 0 || columns_[i - 1].group != group);
    if (begins) {
      const std::size_t skipped =
          columns_[i].align == Align::kRight ? widths[i] - width_of(columns_[i].title) : 0;
      line +=
          spaces(column + skipped - std::min(written, column + skipped)) + style.paint(Color::kDim, group);
      written = column + skipped + width_of(group);
    }
    column += widths[i] + kGap;
  }
  return line.empty() ? line : style.indent + line + "\n";
}

bool Table::is_left_out(std::size_t column) const {
  return columns_[column].only_if_filled &&
         std::all_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row[column].text.empty(); });
}

Table Table::without_empty_columns() const {
  std::vector<std::size_t> kept;
  Table table({});
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (!is_left_out(i)) kept.push_back(i), table.columns_.push_back(columns_[i]);
  for (const std::vector<Cell>& row : rows_) {
    std::vector<Cell>& cells = table.rows_.emplace_back();
    for (std::size_t i : kept) cells.push_back(row[i]);
  }
  table.unseen_ = unseen_;
  return table;
}

Text Table::text(const TableStyle& style) const {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (is_left_out(i)) return without_empty_columns().text(style);
  const std::size_t shown = std::min(rows_.size(), style.most_rows), cut = rows_.size() - shown + unseen_;
  const std::vector<std::size_t> all_widths = widths(shown, style.has_titles);
  Text text;
  if (style.has_titles) text += groups_line(all_widths, style) + line(titles(), all_widths, style);
  for (std::size_t r = 0; r < shown; ++r) text += line(rows_[r], all_widths, style);
  if (cut > 0) text += style.indent + style.paint(Color::kDim, and_more(cut)) + "\n";
  return text;
}

}  // namespace muster
