// Tables with aligned columns.
//
//   QUEUE       GPUs
//   research      16
//     vision       8
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "terminal/paint.hpp"
#include "util/words.hpp"

namespace muster {

enum class Align : unsigned char { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
  std::string group = {};       // written once above adjacent columns of the same group
  bool only_if_filled = false;  // the column is left out if all its cells are empty
};

struct Cell {
  Cell(const std::string& words, Color colour = Color::kPlain) : text(words), ink(colour) {}
  Cell(const char* words) : text(std::string_view(words)) {}
  Text text;
  Color ink = Color::kPlain;
};

struct TableStyle {
  Painter paint{};
  Text indent = {};
  std::size_t most_rows = std::numeric_limits<std::size_t>::max();
  bool has_titles = true;
};

// "… and 3,960 more; --all shows them": the end of a truncated list.
Text and_more(std::size_t count);
// "3,960.25": at most three decimals, without trailing zeros.
std::string grouped_decimal(double number);

class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  // Counts a row that would be cut off anyway, so that the caller need not build it.
  void add_unseen() { ++unseen_; }
  std::size_t rows() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  // The text ends in a line break unless it is empty. No line ends in spaces.
  Text text(const TableStyle& style) const;

 private:
  Text groups_line(const std::vector<std::size_t>& widths, const TableStyle& style) const;
  Text line(const std::vector<Cell>& row, const std::vector<std::size_t>& widths,
            const TableStyle& style) const;
  bool is_left_out(std::size_t column) const;
  Table without_empty_columns() const;
  std::vector<std::size_t> widths(std::size_t shown, bool has_titles) const;
  std::vector<Cell> titles() const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
  std::size_t unseen_ = 0;
};

}  // namespace muster
