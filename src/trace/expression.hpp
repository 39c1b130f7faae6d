// What a column of ours is made of: the columns of a trace, numbers, + - * / and parentheses, as in
// "num_gpu*gpu_milli/1000".
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster::trace {

// What stands in a row, or what was made of it.
struct Value {
  enum class Type { kMissing, kText, kNumber, kInstant };
  Type type = Type::kMissing;
  std::string_view text = {};  // kText
  double number = 0;           // kNumber; kInstant: seconds since 1970

  bool is_missing() const { return type == Type::kMissing; }
};

class Expression {
 public:
  Expression() = default;
  // One that is a column and nothing else.
  static Expression column(std::string name);

  bool is_column() const { return steps_.size() == 1 && steps_.front().kind == Step::Kind::kColumn; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::string& text() const { return text_; }

  // `values` has what stands in each of columns(). Missing where one of them is. A column alone keeps its
  // text; what is to be reckoned with must be numbers, durations or instants. Errors have the message only.
  Result<Value> of(std::span<const std::string_view> values) const;

 private:
  friend class ExpressionParser;
  struct Step {  // of a reckoning on a stack
    enum class Kind {
      kColumn,
      kNumber,
      kAdd,
      kSubtract,
      kMultiply,
      kDivide,
      kNegate,
      kCeil,
      kFloor,
      kMin,
      kMax
    };
    Kind kind = Kind::kNumber;
    std::size_t column = 0;
    double number = 0;
  };

  static Result<Value> reckoned(Step::Kind kind, const Value& left, const Value& right);

  std::string text_;
  std::vector<std::string> columns_;
  std::vector<Step> steps_;
};

// "gpus=num_gpu*gpu_milli/1000, submit=creation_time": the names on the left, each with what it is made of,
// in order. Names of columns that are no words stand in quotes. Errors name the position of the mistake.
struct Assignment {
  std::string name;
  Expression expression;
  std::size_t position = 0;  // of the name, the first is 1
};
Result<std::vector<Assignment>> parse_assignments(std::string_view text);

}  // namespace muster::trace
