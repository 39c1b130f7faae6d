// Evaluates functions, methods and operators. Values of unsupported types give a Failure.
#include "cel/functions.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "util/quantity.hpp"

namespace muster::cel {
namespace {

Value no_overload(std::string_view name, const Value& value) {
  return failure(fmt::format("{} does not work on {}", name, type_name(value)));
}

std::string with_ascii(std::string text, char from, char to, int shift) {
  for (char& c : text)
    if (c >= from && c <= to) c = static_cast<char>(c + shift);
  return text;
}

// The number of code points.
std::int64_t length_of(const std::string& text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Value size_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return length_of(*text);
  if (const auto* list = value.as<List>()) return static_cast<std::int64_t>(list->size());
  return no_overload("size", value);
}

Value quantity_of(const std::string& text) {
  const auto parsed = quantity_milli(text);
  if (!parsed) return failure(fmt::format("\"{}\" is not a quantity", text));
  return Quantity{*parsed};
}

Value version_of(const std::string& text) {
  auto parsed = Version::parse(text);
  if (!parsed) return failure(fmt::format("\"{}\" is not a semantic version", text));
  return *std::move(parsed);
}

// Normalizes a loosely written version: "v1.2" becomes "1.2.0", and leading zeros are dropped.
std::string as_version(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  const std::size_t rest = std::min(text.find_first_of("-+"), text.size());
  std::string numbers;
  std::size_t parts = 0;
  for (std::string_view left = text.substr(0, rest); parts < 3; ++parts) {
    const std::size_t dot = std::min(left.find('.'), left.size());
    std::string_view part = left.substr(0, dot);
    while (part.size() > 1 && part[0] == '0') part.remove_prefix(1);
    numbers += (parts > 0 ? "." : "") + (part.empty() ? std::string("0") : std::string(part));
    if (dot == left.size()) {
      left = {};
      continue;
    }
    left.remove_prefix(dot + 1);
    if (parts == 2) return std::string(text);  // more than three numbers
  }
  return numbers + std::string(text.substr(rest));
}

// ---------------------------------------------------------------- what a call costs

std::int64_t size_in_steps(std::size_t size) { return static_cast<std::int64_t>(size); }

// To look for a part everywhere in the text: at worst, a comparison at each byte.
std::int64_t steps_to_find(const std::string& part, const std::string& text) {
  return size_in_steps(text.size()) * size_in_steps(part.size() + 128) / 1024;
}

// To compare each item of one list with each item of the other.
std::int64_t steps_to_compare(const List& a, const List& b, const Steps& steps) {
  return size_in_steps(a.size()) * steps_over(b, steps.most()) +
         size_in_steps(b.size()) * steps_over(a, steps.most());
}

// Compiling an instruction or a byte of a pattern, and holding an instruction against a few bytes of text.
constexpr std::int64_t kStepsToCompile = 4;
constexpr std::size_t kBytesPerStep = 8;

Value matches(const std::string& text, const std::string& pattern, Steps& steps) {
  constexpr std::int64_t kMemory = 512 << 10;  // allows some thousand instructions
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(kMemory);
  if (!steps.take(kStepsToCompile * size_in_steps(pattern.size()))) return too_many_steps(steps);
  const RE2 expression(pattern, options);
  if (expression.error_code() == RE2::ErrorPatternTooLarge) steps.take(steps.left());
  if (!expression.ok()) return failure(fmt::format("\"{}\" is not a regular expression", pattern));
  const std::int64_t to_match = 1 + size_in_steps(text.size() / kBytesPerStep);
  if (!steps.take(expression.ProgramSize() * (kStepsToCompile + to_match))) return too_many_steps(steps);
  return RE2::PartialMatch(text, expression);
}

// ---------------------------------------------------------------- text

// The positions at which the code points of a text begin, and the end of the text.
std::vector<std::size_t> code_points(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

Value part_of(const std::string& text, std::int64_t from, std::optional<std::int64_t> to) {
  const auto starts = code_points(text);
  const auto end = static_cast<std::int64_t>(starts.size()) - 1;
  if (from < 0 || from > end || to.value_or(end) < from || to.value_or(end) > end)
    return failure("the text has no such part");
  const std::size_t begin = starts[static_cast<std::size_t>(from)];
  return text.substr(begin, starts[static_cast<std::size_t>(to.value_or(end))] - begin);
}

Value place_in(const std::string& text, std::size_t found) {
  return found == std::string::npos ? std::int64_t{-1} : length_of(text.substr(0, found));
}

Value split(const std::string& text, const std::string& separator) {
  List parts;
  if (separator.empty()) {
    const auto starts = code_points(text);
    for (std::size_t i = 0; i + 1 < starts.size(); ++i)
      parts.emplace_back(text.substr(starts[i], starts[i + 1] - starts[i]));
    return parts;
  }
  std::size_t from = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos; at = text.find(separator, from)) {
    parts.emplace_back(text.substr(from, at - from));
    from = at + separator.size();
  }
  parts.emplace_back(text.substr(from));
  return parts;
}

// The longest text that join or replace may produce.
constexpr std::size_t kLongestText = 100'000;
Value too_long() { return failure("the text is too long"); }

Value replaced(const std::string& text, const std::string& from, const std::string& to) {
  if (from.empty()) return failure("replace takes a text that is not empty");
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    if (result.size() > kLongestText) return too_long();
    result.append(text, begin, at - begin).append(to);
    begin = at + from.size();
  }
  return result.append(text, begin);
}

std::string trimmed(const std::string& text) {
  constexpr const char* kSpace = " \t\n\r\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Value joined(const List& items, const std::string& separator) {
  std::string result;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* text = items[i].as<std::string>();
    if (text == nullptr) return failure("join works on lists of texts");
    if (result.size() > kLongestText) return too_long();
    result += (i > 0 ? separator : "") + *text;
  }
  return result;
}

Value part_by_places(const std::string& name, const std::string& text, std::span<const Value> arguments) {
  const auto* from = arguments[0].as<std::int64_t>();
  const auto* to = arguments.size() == 2 ? arguments[1].as<std::int64_t>() : nullptr;
  if (from == nullptr || (arguments.size() == 2 && to == nullptr) || arguments.size() > 2)
    return failure(fmt::format("{} takes places in the text", name));
  if (name == "charAt" && arguments.size() == 1)
    return *from == length_of(text) ? Value(std::string()) : part_of(text, *from, *from + 1);
  return part_of(text, *from, to == nullptr ? std::nullopt : std::optional(*to));
}

// ---------------------------------------------------------------- methods

Value searching_method(const std::string& name, const std::string& text, const std::string& part,
                       Steps& steps) {
  const bool is_split = name == "split";
  if (!steps.take(is_split ? size_in_steps(text.size()) : steps_to_find(part, text)))
    return too_many_steps(steps);
  if (is_split) return split(text, part);
  if (name == "contains") return text.find(part) != std::string::npos;
  if (name == "indexOf") return place_in(text, text.find(part));
  if (name == "lastIndexOf") return place_in(text, text.rfind(part));
  return failure(fmt::format("text has no {}()", name));
}

Value replace_method(const std::string& text, std::span<const Value> arguments, Steps& steps) {
  const auto *from = arguments[0].as<std::string>(), *to = arguments[1].as<std::string>();
  if (from == nullptr || to == nullptr) return failure("replace takes two texts");
  if (!steps.take(steps_to_find(*from, text))) return too_many_steps(steps);
  return replaced(text, *from, *to);
}

Value text_method(const std::string& name, const std::string& text, std::span<const Value> arguments,
                  Steps& steps) {
  if (arguments.empty()) {
    if (name == "lowerAscii") return with_ascii(text, 'A', 'Z', 'a' - 'A');
    if (name == "upperAscii") return with_ascii(text, 'a', 'z', 'A' - 'a');
    if (name == "trim") return trimmed(text);
    return failure(fmt::format("text has no {}()", name));
  }
  if (name == "substring" || name == "charAt") return part_by_places(name, text, arguments);
  if (name == "replace" && arguments.size() == 2) return replace_method(text, arguments, steps);
  const auto* other = arguments.size() == 1 ? arguments[0].as<std::string>() : nullptr;
  if (other == nullptr) return failure(fmt::format("{} takes one text", name));
  if (name == "startsWith") return text.starts_with(*other);
  if (name == "endsWith") return text.ends_with(*other);
  if (name == "matches") return matches(text, *other, steps);
  return searching_method(name, text, *other, steps);
}

template <class T>
std::optional<Value> comparison(const std::string& name, const T& value, std::span<const Value> arguments) {
  const T* other = arguments.size() == 1 ? arguments[0].as<T>() : nullptr;
  if (other == nullptr) return std::nullopt;
  if (name == "isLessThan") return value < *other;
  if (name == "isGreaterThan") return value > *other;
  if (name == "compareTo") return std::int64_t{value < *other ? -1 : value > *other ? 1 : 0};
  return std::nullopt;
}

// Adds or subtracts a quantity or a whole number.
Value sum_of(Quantity left, const Value& right, bool is_minus) {
  std::int64_t thousandths = 0, result = 0;
  const auto* number = right.as<std::int64_t>();
  bool overflows = number != nullptr && __builtin_mul_overflow(*number, 1000, &thousandths);
  if (const auto* quantity = right.as<Quantity>()) thousandths = quantity->thousandths;
  overflows |= is_minus ? __builtin_sub_overflow(left.thousandths, thousandths, &result)
                        : __builtin_add_overflow(left.thousandths, thousandths, &result);
  if (overflows) return failure("the quantity is too large");
  return Quantity{result};
}

Value quantity_method(const std::string& name, Quantity quantity, std::span<const Value> arguments) {
  if (auto result = comparison(name, quantity, arguments)) return *std::move(result);
  const bool adds = (name == "add" || name == "sub") && arguments.size() == 1;
  if (adds && (arguments[0].as<Quantity>() != nullptr || arguments[0].as<std::int64_t>() != nullptr))
    return sum_of(quantity, arguments[0], name == "sub");
  const bool is_whole = quantity.thousandths % 1000 == 0;
  if (!arguments.empty()) return failure(fmt::format("{} takes a quantity", name));
  if (name == "isInteger") return is_whole;
  if (name == "sign") return std::int64_t{(quantity.thousandths > 0) - (quantity.thousandths < 0)};
  if (name == "asInteger" && is_whole) return quantity.thousandths / 1000;
  return failure(name == "asInteger" ? "the quantity is not a whole number"
                                     : fmt::format("a quantity has no {}()", name));
}

Value version_method(const std::string& name, const Version& version, std::span<const Value> arguments) {
  if (auto result = comparison(name, version, arguments)) return *std::move(result);
  if (!arguments.empty()) return failure(fmt::format("{} takes a version", name));
  if (name == "major") return version.major;
  if (name == "minor") return version.minor;
  if (name == "patch") return version.patch;
  return failure(fmt::format("a version has no {}()", name));
}

Value optional_method(const std::string& name, const Optional& optional, std::span<const Value> arguments) {
  if (name == "hasValue" && arguments.empty()) return optional.value != nullptr;
  if (name == "value" && arguments.empty())
    return optional.value ? *optional.value : failure("the optional value is missing");
  if (name == "orValue" && arguments.size() == 1) return optional.value ? *optional.value : arguments[0];
  if (name == "or" && arguments.size() == 1 && arguments[0].as<Optional>() != nullptr)
    return optional.value ? Value(optional) : arguments[0];
  return failure(fmt::format("an optional value has no such {}()", name));
}

bool has_all(const List& items, const List& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const Value& value) {
    return std::any_of(items.begin(), items.end(), [&](const Value& item) { return equal(item, value); });
  });
}

Value set_function(const std::string& name, const Value& left, const Value& right, Steps& steps) {
  const List *a = left.as<List>(), *b = right.as<List>();
  if (a == nullptr || b == nullptr) return failure(fmt::format("{} takes two lists", name));
  if (!steps.take(steps_to_compare(*a, *b, steps))) return too_many_steps(steps);
  if (name == "sets.contains") return has_all(*a, *b);
  if (name == "sets.equivalent") return has_all(*a, *b) && has_all(*b, *a);
  return std::any_of(b->begin(), b->end(), [&](const Value& value) { return has_all(*a, {value}); });
}

Value number_function(const std::string& name, std::int64_t number) {
  if (name == "string") return std::to_string(number);
  return name == "int" ? Value(number) : no_overload(name, number);
}

Value truth_function(const std::string& name, bool truth) {
  if (name == "string") return std::string(truth ? "true" : "false");
  return name == "bool" ? Value(truth) : no_overload(name, truth);
}

Value whole_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return failure(fmt::format("\"{}\" is not a whole number", text));
  return number;
}

Value text_function(const std::string& name, const std::string& text, bool is_loose) {
  if (name == "string") return text;
  if (name == "int") return whole_number(text);
  if (name == "bool" && (text == "true" || text == "false")) return text == "true";
  if (name == "isQuantity") return quantity_milli(text).has_value();
  if (name == "quantity") return quantity_of(text);
  const std::string version = is_loose ? as_version(text) : text;
  if (name == "isSemver") return Version::parse(version).has_value();
  if (name == "semver") return version_of(version);
  return no_overload(name, text);
}

// ---------------------------------------------------------------- operators

Value arithmetic(char sign, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  if ((sign == '/' || sign == '%') && right == 0) return failure("division by zero");
  const bool overflows = sign == '+'   ? __builtin_add_overflow(left, right, &result)
                         : sign == '-' ? __builtin_sub_overflow(left, right, &result)
                         : sign == '*' ? __builtin_mul_overflow(left, right, &result)
                                       : left == std::numeric_limits<std::int64_t>::min() && right == -1;
  if (overflows) return failure("the number is too large");
  if (sign == '/') result = left / right;
  if (sign == '%') result = left % right;
  return result;
}

template <class T>
bool ordered(const std::string& sign, const T& left, const T& right) {
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  return sign == ">" ? left > right : left >= right;
}

Value ordering(const std::string& sign, const Value& left, const Value& right) {
  if (left.index() == right.index()) {
    if (const auto* number = left.as<std::int64_t>())
      return ordered(sign, *number, *right.as<std::int64_t>());
    if (const auto* text = left.as<std::string>()) return ordered(sign, *text, *right.as<std::string>());
    if (const auto* truth = left.as<bool>()) return ordered(sign, *truth, *right.as<bool>());
  }
  return failure(fmt::format("{} does not compare {} and {}", sign, type_name(left), type_name(right)));
}

}  // namespace

Value call_function(const std::string& name, std::span<const Value> arguments, Steps& steps) {
  if (name == "optional.none") return Optional{};
  if (name == "optional.of") return present(arguments[0]);
  if (name.starts_with("sets.")) return set_function(name, arguments[0], arguments[1], steps);
  if (name == "dyn") return arguments[0];
  if (name == "size") return size_of(arguments[0]);
  if (const auto* number = arguments[0].as<std::int64_t>()) return number_function(name, *number);
  if (const auto* truth = arguments[0].as<bool>()) return truth_function(name, *truth);
  const auto* text = arguments[0].as<std::string>();
  if (text == nullptr) return no_overload(name, arguments[0]);
  const auto* is_loose = arguments.size() == 2 ? arguments[1].as<bool>() : nullptr;
  if (arguments.size() == 2 && is_loose == nullptr) return no_overload(name, arguments[1]);
  return text_function(name, *text, is_loose != nullptr && *is_loose);
}

Value call_method(const std::string& name, const Value& target, std::span<const Value> arguments,
                  Steps& steps) {
  if (name == "size" && arguments.empty()) return size_of(target);
  if (const auto* text = target.as<std::string>()) return text_method(name, *text, arguments, steps);
  if (const auto* quantity = target.as<Quantity>()) return quantity_method(name, *quantity, arguments);
  if (const auto* version = target.as<Version>()) return version_method(name, *version, arguments);
  if (const auto* optional = target.as<Optional>()) return optional_method(name, *optional, arguments);
  if (const auto* list = target.as<List>(); list != nullptr && name == "join") {
    const auto* separator = arguments.size() == 1 ? arguments[0].as<std::string>() : nullptr;
    if (separator != nullptr || arguments.empty()) return joined(*list, separator ? *separator : "");
  }
  return no_overload(name, target);
}

Value apply_operator(const std::string& sign, const Value& left, const Value& right) {
  if (sign == "==") return equal(left, right);
  if (sign == "!=") return !equal(left, right);
  if (sign[0] == '<' || sign[0] == '>') return ordering(sign, left, right);
  if (left.as<std::int64_t>() != nullptr && right.as<std::int64_t>() != nullptr)
    return arithmetic(sign[0], *left.as<std::int64_t>(), *right.as<std::int64_t>());
  if (sign == "+" && left.as<List>() != nullptr && right.as<List>() != nullptr) {
    List both = *left.as<List>();
    both.insert(both.end(), right.as<List>()->begin(), right.as<List>()->end());
    return both;
  }
  if (sign == "+" && left.as<std::string>() != nullptr && right.as<std::string>() != nullptr)
    return *left.as<std::string>() + *right.as<std::string>();
  return failure(fmt::format("{} does not work on {} and {}", sign, type_name(left), type_name(right)));
}

}  // namespace muster::cel
