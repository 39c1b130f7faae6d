// Maps the columns of a file to muster's: by name, by a given map, or by a format.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/expression.hpp"
#include "trace/rows.hpp"
#include "util/result.hpp"

namespace muster::trace {

class ColumnMap {
 public:
  // `fields` are muster's columns. By default each one is the file's column of the same name.
  explicit ColumnMap(std::span<const std::string_view> fields);

  // Reads assignments such as "gpus=num_gpu, submit=creation_time". They replace earlier ones of the same
  // columns.
  Result<void> assign(std::string_view assignments);

  // Returns the columns needed from the file. It is an error if a column named in the map does not exist.
  Result<std::vector<std::string>> bind(const Header& header);

  // The value of a field in a row. `values` are those of the columns that bind() returned.
  Result<Value> value(std::size_t field, std::span<const std::string_view> values) const;
  // Whether the file has the field; for JSON, whether its first row has it.
  bool has(std::size_t field) const { return sources_[field].is_there; }
  // The name of a field in messages: "gpus", or "gpus = num_gpu*gpu_milli/1000".
  std::string described(std::size_t field) const;
  // Columns of the file that are not used, each with a suggestion if there is one.
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  struct Source {
    Expression expression;
    bool is_given = false;                    // in a map, not just by its name
    bool is_there = false, is_bound = false;  // in the file; needed from it
    std::size_t first = 0;                    // position of its first column among the needed ones
  };

  std::span<const std::string_view> fields_;
  std::vector<Source> sources_;  // by field
  std::vector<std::string> unused_;
};

}  // namespace muster::trace
