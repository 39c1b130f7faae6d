// Parses tokens to a syntax tree by recursive descent, with one function for each level of precedence.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "cel/syntax.hpp"

namespace muster::cel {
namespace {

using Kind = Node::Kind;

// Of operators and members, and of brackets within brackets: recursion stays well within the stack.
constexpr int kMostSteps = 1000, kDeepest = 50;

struct Function {
  std::string_view name;
  std::size_t least, most;  // arguments
};
constexpr Function kFunctions[] = {{"size", 1, 1},
                                   {"quantity", 1, 1},
                                   {"isQuantity", 1, 1},
                                   {"semver", 1, 2},
                                   {"isSemver", 1, 2},
                                   {"string", 1, 1},
                                   {"int", 1, 1},
                                   {"bool", 1, 1},
                                   {"dyn", 1, 1},
                                   {"optional.of", 1, 1},
                                   {"optional.none", 0, 0},
                                   {"sets.contains", 2, 2},
                                   {"sets.intersects", 2, 2},
                                   {"sets.equivalent", 2, 2}};
constexpr std::string_view kMethods[] = {
    "startsWith", "endsWith",  "contains",    "matches",       "lowerAscii", "upperAscii",
    "size",       "compareTo", "isLessThan",  "isGreaterThan", "asInteger",  "isInteger",
    "sign",       "major",     "minor",       "patch",         "split",      "join",
    "substring",  "indexOf",   "lastIndexOf", "replace",       "trim",       "charAt",
    "add",        "sub",       "hasValue",    "value",         "orValue",    "or"};
constexpr std::string_view kMacros[] = {"all", "exists", "exists_one", "existsOne",
                                        "map", "filter", "optMap"};
// Names before a dot that hold functions instead of being values.
constexpr std::string_view kLibraries[] = {"optional", "sets"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Moves the nodes. A list in braces would copy a tree once for each of its levels.
template <class... Nodes>
std::vector<Node> parts_of(Nodes&&... nodes) {
  std::vector<Node> parts;
  parts.reserve(sizeof...(nodes));
  (parts.push_back(std::move(nodes)), ...);
  return parts;
}

class Parser {
 public:
  explicit Parser(const std::vector<Token>& tokens) : tokens_(tokens) {}

  Result<Node> read() {
    Node root = condition();
    if (!error_ && peek().kind != Token::Kind::kEnd) fail(fmt::format("\"{}\" is not expected", peek().text));
    if (error_) return *error_;
    return root;
  }

 private:
  const Token& peek() const { return tokens_[at_]; }
  bool is_sign(std::string_view sign) const {
    return peek().kind == Token::Kind::kSign && peek().text == sign;
  }
  bool is_word(std::string_view word) const {
    return peek().kind == Token::Kind::kName && peek().text == word;
  }
  bool take(std::string_view sign) {
    if (error_ || !is_sign(sign)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!error_ && !take(sign)) fail(fmt::format("\"{}\" is expected", sign));
  }
  // Only the first error is kept. The parser reads nothing after it.
  void fail(std::string message) { fail(std::move(message), peek()); }
  void fail(std::string message, const Token& at) {
    if (!error_) error_ = syntax_error(std::move(message), at.at);
  }

  void step() {
    if (++steps_ > kMostSteps) fail("the expression is too large");
  }

  Node condition() {
    if (++depth_ > kDeepest) fail("the expression is nested too deeply");
    Node node = error_ ? Node{} : binary(0);
    if (take("?")) {
      Node yes = condition();
      expect(":");
      Node no = condition();
      node =
          Node{.kind = Kind::kCondition, .parts = parts_of(std::move(node), std::move(yes), std::move(no))};
    }
    --depth_;
    return node;
  }

  static constexpr std::size_t kLevels = 5;
  // The operator of this level at this position; "" if there is none.
  std::string_view operator_at(std::size_t level) const {
    static constexpr std::string_view kOr[] = {"||"}, kAnd[] = {"&&"}, kSum[] = {"+", "-"},
                                      kProduct[] = {"*", "/", "%"},
                                      kRelation[] = {"==", "!=", "<=", ">=", "<", ">"};
    static constexpr std::span<const std::string_view> kOperators[kLevels] = {kOr, kAnd, kRelation, kSum,
                                                                              kProduct};
    if (level == 2 && is_word("in")) return "in";
    for (const std::string_view sign : kOperators[level])
      if (is_sign(sign)) return sign;
    return "";
  }

  Node binary(std::size_t level) {
    if (level == kLevels) return unary();
    Node left = binary(level + 1);
    for (auto sign = operator_at(level); !error_ && !sign.empty(); sign = operator_at(level)) {
      step();
      ++at_;
      Node right = binary(level + 1);
      left = Node{.kind = Kind::kBinary,
                  .text = std::string(sign),
                  .parts = parts_of(std::move(left), std::move(right))};
    }
    return left;
  }

  Node unary() {
    for (const std::string_view sign : {"!", "-"})
      if (take(sign)) {
        step();
        return Node{
            .kind = Kind::kUnary, .text = std::string(sign), .parts = parts_of(error_ ? Node{} : unary())};
      }
    return chain();
  }

  // A value, followed by any number of members, indexes and method calls.
  Node chain() {
    Node node = primary();
    while (!error_ && (is_sign(".") || is_sign("["))) {
      step();
      const bool is_index = is_sign("[");
      ++at_;
      const bool may_miss = take("?");
      node = is_index ? index(std::move(node)) : member(std::move(node));
      if (may_miss) node = as_optional(std::move(node));
    }
    return node;
  }

  Node index(Node target) {
    Node key = condition();
    expect("]");
    return {.kind = Kind::kIndex, .parts = parts_of(std::move(target), std::move(key))};
  }

  Node as_optional(Node node) {
    if (node.kind != Kind::kMember && node.kind != Kind::kIndex) fail("? must precede a member or a key");
    return {.kind = Kind::kOptional, .parts = parts_of(std::move(node))};
  }

  Node member(Node target) {
    const Token name = peek();
    if (name.kind != Token::Kind::kName) return fail("a name is expected"), Node{};
    ++at_;
    if (!take("(")) return {.kind = Kind::kMember, .text = name.text, .parts = parts_of(std::move(target))};
    if (target.kind == Kind::kName && target.text == "cel" && name.text == "bind") return bind();
    if (target.kind == Kind::kName && contains(kLibraries, target.text))
      return call({name.kind, target.text + "." + name.text, name.at});
    if (contains(kMacros, name.text)) return macro(std::move(target), name);
    if (!contains(kMethods, name.text)) fail(fmt::format("\"{}\" is not supported", name.text), name);
    std::vector<Node> parts = list(")");
    parts.insert(parts.begin(), std::move(target));
    return {.kind = Kind::kMethod, .text = name.text, .parts = std::move(parts)};
  }

  Node bind() {
    const Token name = peek();
    if (name.kind != Token::Kind::kName) return fail("a name is expected"), Node{};
    ++at_;
    expect(",");
    std::vector<Node> parts = list(")");
    if (parts.size() != 2) fail("cel.bind takes a name and two values");
    return {.kind = Kind::kBind, .text = name.text, .parts = std::move(parts)};
  }

  Node macro(Node target, const Token& name) {
    const Token item = peek();
    if (item.kind != Token::Kind::kName) return fail("a name is expected"), Node{};
    ++at_;
    expect(",");
    std::vector<Node> parts = list(")");
    if (parts.size() != 1 && !(name.text == "map" && parts.size() == 2))
      fail(fmt::format("{} takes a name and what is to be done with it", name.text), name);
    parts.insert(parts.begin(), std::move(target));
    return {.kind = Kind::kMacro, .text = item.text, .value = name.text, .parts = std::move(parts)};
  }

  std::vector<Node> list(std::string_view end) {
    std::vector<Node> items;
    if (take(end)) return items;
    do items.push_back(condition());
    while (take(","));
    expect(end);
    return items;
  }

  Node primary() {
    const Token token = peek();
    if (take("(")) {
      Node inner = condition();
      expect(")");
      return inner;
    }
    if (take("[")) return {.kind = Kind::kList, .parts = list("]")};
    if (token.kind == Token::Kind::kEnd) return fail("the expression ends too early"), Node{};
    if (token.kind == Token::Kind::kSign)
      return fail(fmt::format("\"{}\" is not expected", token.text)), Node{};
    ++at_;
    if (token.kind == Token::Kind::kText) return {.value = token.text};
    if (token.kind == Token::Kind::kNumber) return number(token);
    if (token.text == "true" || token.text == "false") return {.value = token.text == "true"};
    if (take("(")) return call(token);
    return {.kind = Kind::kName, .text = token.text};
  }

  Node number(const Token& token) {
    std::int64_t value = 0;
    const char *from = token.text.data(), *to = from + token.text.size();
    const auto [end, error] = std::from_chars(from, to, value);
    if (error != std::errc() || end != to)
      fail(fmt::format("\"{}\" is not a whole number", token.text), token);
    return {.value = value};
  }

  Node call(const Token& name) {
    std::vector<Node> parts = list(")");
    if (name.text == "has") {
      const bool fits = parts.size() == 1 && parts[0].kind == Kind::kMember;
      if (!fits) fail("has() takes a member", name);
      return {.kind = Kind::kHas, .parts = std::move(parts)};
    }
    const auto* const known = std::ranges::find(kFunctions, name.text, &Function::name);
    if (known == std::end(kFunctions))
      fail(fmt::format("\"{}\" is not supported", name.text), name);
    else if (parts.size() < known->least || parts.size() > known->most)
      fail(fmt::format("{}() does not take {} values", name.text, parts.size()), name);
    return {.kind = Kind::kCall, .text = name.text, .parts = std::move(parts)};
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  int steps_ = 0, depth_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Node> tree_of(const std::vector<Token>& tokens) { return Parser(tokens).read(); }

}  // namespace muster::cel
