// Reads rows of CSV with a header or of JSON lines, compressed or not, as the texts of the needed columns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_fwd.hpp"
#include "util/result.hpp"

namespace muster::trace {

// The columns of a file. Later rows of JSON may have other columns than the first.
struct Header {
  std::vector<std::string> columns;
  bool is_complete = true;
};

struct RowUse {
  // Called first. Returns the needed columns, in the order in which rows list them.
  std::function<Result<std::vector<std::string>>(const Header&)> wanted;
  // Receives the location of the row and the values of those columns, "" for missing ones.
  std::function<void(const Location&, std::span<const std::string_view>)> row;
  std::function<void(const Error&)> bad_row;
  // Computes columns of a JSON row that are not simply a member of that name; may be empty.
  std::function<std::string(Json row, std::string_view column)> derived;
};

// "-" is standard input. Returns an error if the file cannot be read at all.
Result<void> read_rows(const std::string& file, const RowUse& use);
// Likewise for text in memory.
Result<void> read_rows_in(const std::string& name, std::string_view text, const RowUse& use);

}  // namespace muster::trace
