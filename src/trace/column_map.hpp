// From the columns of a file to those that are ours: by the same name, by a map that was given, by a format.
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
  // `fields` are our columns. Until something else is said, each is the column of its name.
  explicit ColumnMap(std::span<const std::string_view> fields);

  // "gpus=num_gpu, submit=creation_time". What was said before of the same column is forgotten.
  Result<void> assign(std::string_view assignments);

  // The columns that are wanted of such a file. An Error where one that was named is not there.
  Result<std::vector<std::string>> bind(const Header& header);

  // What a row has in a field; `values` are those of the columns that bind() wanted.
  Result<Value> value(std::size_t field, std::span<const std::string_view> values) const;
  // Whether the file has it; of JSON, whether its first row has.
  bool has(std::size_t field) const { return sources_[field].is_there; }
  // How a field is called in messages: "gpus", or "gpus = num_gpu*gpu_milli/1000".
  std::string described(std::size_t field) const;
  // Columns of the file that are not used: each with what it may have meant.
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  struct Source {
    Expression expression;
    bool is_given = false;                    // not just by its name
    bool is_there = false, is_bound = false;  // in the file; among the wanted
    std::size_t first = 0;                    // of its columns among the wanted
  };

  std::span<const std::string_view> fields_;
  std::vector<Source> sources_;  // by field
  std::vector<std::string> unused_;
};

}  // namespace muster::trace
