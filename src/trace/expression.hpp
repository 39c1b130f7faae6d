// An expression that computes one of muster's columns from columns of the trace, numbers, + - *
// and parentheses, for example "num_gpu*gpu_milli/1000".
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.hpp"

namespace muster::trace {

// A value from a row, or the result of an expression.
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
  // The expression that consists of a single column.
  static Expression column(std::string name);

  bool is_column() const { return steps_.size() == 1 && steps_.front().kind == Step::Kind::kColumn; }
  const std::vector<std::string>& columns() const { return columns_; }
  const std::string& text() const { return text_; }

  // `values` are the values of columns(). The result is missing if one of them is. A column alone keeps its
  // text; operands of operators must be numbers, durations or timestamps. Errors contain only the message.
  Result<Value> of(std::span<const std::string_view> values) const;

 private:
  friend class ExpressionParser;
  struct Step {  // of the stack machine
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

// Parses "gpus=num_gpu*gpu_milli/1000, submit=creation_time" into names and their expressions, in order.
// Column names that are not words are in quotes. Errors name the position of the mistake.
struct Assignment {
  std::string name;
  Expression expression;
  std::size_t position = 0;  // of the name; the first character has position 1
};
Result<std::vector<Assignment>> parse_assignments(std::string_view text);

}  // namespace muster::trace
