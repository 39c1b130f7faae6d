// A recursive descent parser that produces steps for a stack machine.
#include "trace/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "trace/values.hpp"

namespace muster::trace {
namespace {

constexpr int kDeepest = 100;  // levels of parentheses

bool is_letter(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalpha(u) != 0 || u >= 0x80 || c == '_' || c == '$';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_inside_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

// The value of a column as an operand.
Result<Value> operand_in(const std::string& column, std::string_view text) {
  if (is_nothing(text)) return Value{};
  if (const auto number = number_of(text)) return Value{.type = Value::Type::kNumber, .number = *number};
  if (const auto duration = duration_of(text))
    return Value{.type = Value::Type::kNumber, .number = seconds(*duration)};
  if (const auto instant = instant_of(text))
    return Value{.type = Value::Type::kInstant, .number = seconds_since_epoch(*instant)};
  return Error{fmt::format("\"{}\" in column {} is not a number", shortened(text), column), {}};
}

}  // namespace

class ExpressionParser {
 public:
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<std::vector<Assignment>> assignments() {
    std::vector<Assignment> result;
    for (skip_space(); at_ < text_.size() && !mistake_; skip_space()) {
      result.push_back(assignment());
      if (!mistake_ && at_ < text_.size() && !takes(',')) fail("expected a comma or an operator");
    }
    if (result.empty() && !mistake_) fail("expected an assignment such as gpus=num_gpu");
    if (mistake_) return *mistake_;
    return result;
  }

 private:
  using Step = Expression::Step;

  Assignment assignment() {
    Assignment result{.position = at_ + 1};
    result.name = word();
    if (result.name.empty()) fail("expected a column name, as in gpus=num_gpu");
    if (!mistake_ && !takes('='))
      fail(fmt::format("{} must be followed by =, as in gpus=num_gpu", result.name));
    skip_space();
    const std::size_t begin = at_;
    expression_ = {};
    sum();
    expression_.text_ = std::string(without_space(text_.substr(begin, at_ - begin)));
    result.expression = std::move(expression_);
    return result;
  }

  void sum() {
    product();
    while (!mistake_) {
      if (takes('+'))
        product(), add(Step::Kind::kAdd);
      else if (takes('-'))
        product(), add(Step::Kind::kSubtract);
      else
        return;
    }
  }

  void product() {
    factor();
    while (!mistake_) {
      if (takes('*'))
        factor(), add(Step::Kind::kMultiply);
      else if (takes('/'))
        factor(), add(Step::Kind::kDivide);
      else
        return;
    }
  }

  void factor() {
    if (++depth_ > kDeepest) return fail("too many nested parentheses");
    skip_space();
    if (takes('-'))
      factor(), add(Step::Kind::kNegate);
    else if (takes('('))
      sum(), close();
    else if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.'))
      number();
    else
      column_or_function();
    --depth_;
  }

  void column_or_function() {
    const bool is_quoted = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '`');
    const std::size_t begin = at_;
    const std::string name = word();
    if (mistake_) return;
    if (name.empty()) return fail("expected a column, a number or (");
    if (!is_quoted && takes('(')) return function(name, begin);
    expression_.steps_.push_back({.kind = Step::Kind::kColumn, .column = index_of(name)});
  }

  void function(const std::string& name, std::size_t begin) {
    struct Function {
      std::string_view name;
      Step::Kind kind;
      bool has_two;
    };
    static constexpr std::array<Function, 4> kFunctions{{{"ceil", Step::Kind::kCeil, false},
                                                         {"floor", Step::Kind::kFloor, false},
                                                         {"min", Step::Kind::kMin, true},
                                                         {"max", Step::Kind::kMax, true}}};
    const auto* const found = std::ranges::find(kFunctions, name, &Function::name);
    if (found == kFunctions.end()) {
      at_ = begin;
      return fail(fmt::format("unknown function {}; the functions are ceil, floor, min and max", name));
    }
    sum();
    if (found->has_two && !mistake_) {
      if (!takes(',')) return fail(fmt::format("{} requires two values", name));
      sum();
    }
    close();
    add(found->kind);
  }

  void number() {
    double value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return fail("not a valid number");
    at_ += static_cast<std::size_t>(end - begin);
    if (at_ < text_.size() && is_inside_word(text_[at_]))
      return fail("not a valid number; put quotes around a column name that begins with a digit");
    expression_.steps_.push_back({.kind = Step::Kind::kNumber, .number = value});
  }

  // Reads a name. Names with characters other than letters, digits, _ and points are in quotes.
  std::string word() {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '`')) return quoted_word();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_letter(text_[at_]))
      while (at_ < text_.size() && is_inside_word(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted_word() {
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return fail("the quote is not closed"), "";
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
    if (name.empty()) return fail("the quotes contain no column name"), "";
    at_ = end + 1;
    return std::string(name);
  }

  std::size_t index_of(const std::string& column) {
    auto& columns = expression_.columns_;
    const auto found = std::ranges::find(columns, column);
    if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
    columns.push_back(column);
    return columns.size() - 1;
  }

  void add(Step::Kind kind) { expression_.steps_.push_back({.kind = kind}); }

  void close() {
    if (!mistake_ && !takes(')')) fail("expected )");
  }

  bool takes(char c) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  void fail(const std::string& message) {
    if (mistake_) return;
    const std::string_view rest = text_.substr(at_);
    mistake_ = Error{
        fmt::format("character {}{}: {}", at_ + 1,
                    rest.empty() ? ", at the end" : fmt::format(", at \"{}\"", shortened(rest)), message),
        {}};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression expression_;
  std::optional<Error> mistake_;
};

Expression Expression::column(std::string name) {
  Expression result;
  result.text_ = name;
  result.columns_.push_back(std::move(name));
  result.steps_.push_back({.kind = Step::Kind::kColumn});
  return result;
}

Result<Value> Expression::of(std::span<const std::string_view> values) const {
  if (is_column()) {
    const std::string_view text = values[steps_.front().column];
    return text.empty() ? Value{} : Value{.type = Value::Type::kText, .text = text};
  }
  std::vector<Value> stack;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kNumber) {
      stack.push_back({.type = Value::Type::kNumber, .number = step.number});
      continue;
    }
    if (step.kind == Step::Kind::kColumn) {
      auto value = operand_in(columns_[step.column], values[step.column]);
      if (!value) return value.error();
      if (value->is_missing()) return Value{};
      stack.push_back(*value);
      continue;
    }
    const bool has_one =
        step.kind == Step::Kind::kNegate || step.kind == Step::Kind::kCeil || step.kind == Step::Kind::kFloor;
    const Value right = has_one ? Value{} : stack.back();
    if (!has_one) stack.pop_back();
    auto value = reckoned(step.kind, stack.back(), right);
    if (!value) return value.error();
    if (!std::isfinite(value->number)) return Error{"the result is too large", {}};
    stack.back() = *value;
  }
  return stack.back();
}

// A timestamp plus or minus a number gives a timestamp, and the difference of two timestamps is a number. All
// other operations on timestamps are errors.
Result<Value> Expression::reckoned(Step::Kind kind, const Value& left, const Value& right) {
  const bool is_left = left.type == Value::Type::kInstant, is_right = right.type == Value::Type::kInstant;
  const auto made = [&](double number, bool is_instant) {
    return Value{.type = is_instant ? Value::Type::kInstant : Value::Type::kNumber, .number = number};
  };
  const double a = left.number, b = right.number;
  switch (kind) {
    case Step::Kind::kAdd:
      if (is_left && is_right) return Error{"cannot add two timestamps", {}};
      return made(a + b, is_left || is_right);
    case Step::Kind::kSubtract:
      if (is_right && !is_left) return Error{"cannot subtract a timestamp from a number", {}};
      return made(a - b, is_left && !is_right);
    case Step::Kind::kMin:
    case Step::Kind::kMax:
      if (is_left != is_right) return Error{"cannot compare a timestamp with a number", {}};
      return made(kind == Step::Kind::kMin ? std::min(a, b) : std::max(a, b), is_left);
    case Step::Kind::kCeil:
      return made(std::ceil(a), is_left);
    case Step::Kind::kFloor:
      return made(std::floor(a), is_left);
    default:
      break;
  }
  if (is_left || is_right) return Error{"cannot multiply, divide or negate a timestamp", {}};
  if (kind == Step::Kind::kDivide && b == 0) return Error{"division by zero", {}};
  return made(kind == Step::Kind::kNegate ? -a : kind == Step::Kind::kMultiply ? a * b : a / b, false);
}

Result<std::vector<Assignment>> parse_assignments(std::string_view text) {
  return ExpressionParser(text).assignments();
}

}  // namespace muster::trace
