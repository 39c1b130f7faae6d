// The rows of a file, CSV with a header or JSON lines, compressed or not, as the texts of the wanted columns.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_fwd.hpp"
#include "util/result.hpp"

namespace muster::trace {

// Which columns a file has. Rows of JSON may have others than the first.
struct Header {
  std::vector<std::string> columns;
  bool is_complete = true;
};

struct RowUse {
  // Called first: which columns are wanted, in the order in which rows shall have them.
  std::function<Result<std::vector<std::string>>(const Header&)> wanted;
  // Where the row stands, and what is in those columns: "" where it has none.
  std::function<void(const Location&, std::span<const std::string_view>)> row;
  std::function<void(const Error&)> bad_row;
  // What a column of a JSON row is, where it is not simply the member of that name; may be empty.
  std::function<std::string(Json row, std::string_view column)> derived;
};

// "-" is standard input. An Error where the file can not be read at all.
Result<void> read_rows(const std::string& file, const RowUse& use);
// The same over text in memory.
Result<void> read_rows_in(const std::string& name, std::string_view text, const RowUse& use);

}  // namespace muster::trace
