// g++ 12 destroys some temporaries of a co_await expression twice: those created by a lambda with captures or
// by braces. No file under src/ may contain either in such an expression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace muster {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Token {
  std::string text;  // a word, or one character; a literal counts as the word "literal"
  int line = 1;
};
using Tokens = std::vector<Token>;

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// ---------------------------------------------------------------- tokens

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Tokens run() {
    while (at_ < text_.size()) take_one();
    return std::move(tokens_);
  }

 private:
  void take_one() {
    const char c = text_[at_];
    if (begins_with("//")) return skip_to("\n", 0);
    if (begins_with("/*")) return skip_to("*/", 2);
    if (begins_with("R\"")) return take_raw_literal();
    if (c == '"' || (c == '\'' && !is_digit_separator())) return take_literal(c);
    if (is_word_character(c)) return take_word();
    if (std::isspace(static_cast<unsigned char>(c)) == 0) tokens_.push_back({std::string(1, c), line_});
    advance(1);
  }

  bool begins_with(std::string_view start) const { return text_.substr(at_).starts_with(start); }
  bool is_digit_separator() const { return at_ > 0 && is_word_character(text_[at_ - 1]); }

  void advance(std::size_t count) {
    const std::string_view passed = text_.substr(at_, count);
    line_ += static_cast<int>(std::ranges::count(passed, '\n'));
    at_ += passed.size();
  }
  void skip_to(std::string_view end, std::size_t beyond) {
    const std::size_t found = text_.find(end, at_ + beyond);
    advance((found == text_.npos ? text_.size() : found + beyond) - at_);
  }
  void take_raw_literal() {
    const std::size_t open = text_.find('(', at_);
    if (open == text_.npos) return advance(2);
    const std::string end = ")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"";
    tokens_.push_back({"literal", line_});
    const std::size_t found = text_.find(end, open);
    advance((found == text_.npos ? text_.size() : found + end.size()) - at_);
  }
  void take_literal(char quote) {
    tokens_.push_back({"literal", line_});
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    advance(end + 1 - at_);
  }
  void take_word() {
    std::size_t end = at_;
    while (end < text_.size() && is_word_character(text_[end])) ++end;
    tokens_.push_back({std::string(text_.substr(at_, end - at_)), line_});
    advance(end - at_);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Tokens tokens_;
};

// ---------------------------------------------------------------- expressions

bool opens(const Token& token) { return token.text == "(" || token.text == "[" || token.text == "{"; }
bool closes(const Token& token) { return token.text == ")" || token.text == "]" || token.text == "}"; }

// Position of the bracket that closes the one at `open`.
std::size_t closing(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    depth += opens(tokens[i]) ? 1 : closes(tokens[i]) ? -1 : 0;
    if (depth == 0) return i;
  }
  return tokens.size();
}

// Position of the innermost bracket that is open at `at`; the number of tokens if there is none.
std::size_t enclosing(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i-- > 0;) {
    depth += closes(tokens[i]) ? 1 : opens(tokens[i]) ? -1 : 0;
    if (depth < 0) return i;
  }
  return tokens.size();
}

bool is_head_of_statement(const Tokens& tokens, std::size_t open) {
  constexpr std::array kHeads = {"if", "for", "while", "switch", "catch"};
  return open > 0 && std::ranges::find(kHeads, tokens[open - 1].text) != kHeads.end();
}

struct Range {
  std::size_t begin, end;
};

// The co_await at `at` with its operand and the arguments of all calls that it is an argument of.
Range expression_of(const Tokens& tokens, std::size_t at) {
  Range range{at, at};
  for (std::size_t open = enclosing(tokens, at);
       open < tokens.size() && tokens[open].text != "{" && !is_head_of_statement(tokens, open);
       open = enclosing(tokens, open))
    range = {open, closing(tokens, open)};
  if (range.begin != at) return range;
  while (range.end < tokens.size() && !closes(tokens[range.end]) && tokens[range.end].text != ";" &&
         tokens[range.end].text != ",")
    range.end = (opens(tokens[range.end]) ? closing(tokens, range.end) : range.end) + 1;
  return range;
}

// A bracket after a name or a value is a subscript.
bool is_lambda(const Tokens& tokens, std::size_t open) {
  constexpr std::array kBeforeLambdas = {"return", "co_return", "co_await", "co_yield", "throw", "case"};
  if (tokens[open].text != "[" || open == 0) return false;
  const std::string& before = tokens[open - 1].text;
  if (std::ranges::find(kBeforeLambdas, before) != kBeforeLambdas.end()) return true;
  return !is_word_character(before.front()) && before != ")" && before != "]";
}

// Position of the brace that ends the lambda.
std::size_t end_of_lambda(const Tokens& tokens, std::size_t open) {
  std::size_t at = closing(tokens, open) + 1;
  while (at < tokens.size() && tokens[at].text != "{")
    at = (opens(tokens[at]) ? closing(tokens, at) : at) + 1;
  return at < tokens.size() ? closing(tokens, at) : at;
}

// ---------------------------------------------------------------- findings

// "a lambda with captures in line 3"; "" if nothing is found.
std::string problem_in(const Tokens& tokens, Range range) {
  for (std::size_t i = range.begin; i < std::min(range.end, tokens.size()); ++i) {
    const std::string where = " in line " + std::to_string(tokens[i].line);
    if (is_lambda(tokens, i)) {
      if (tokens[i + 1].text != "]") return "a lambda with captures" + where;
      i = end_of_lambda(tokens, i);
    } else if (tokens[i].text == "{") {
      return "braces" + where;
    }
  }
  return "";
}

bool is_condition_of_loop(const Tokens& tokens, std::size_t at) {
  for (std::size_t open = enclosing(tokens, at); open < tokens.size() && tokens[open].text != "{";
       open = enclosing(tokens, open))
    if (open > 0 && tokens[open - 1].text == "while") return true;
  return false;
}

// One text for each co_await that g++ 12 would compile incorrectly.
std::vector<std::string> problems_of(std::string_view source) {
  const Tokens tokens = Tokenizer(source).run();
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].text != "co_await") continue;
    std::string problem = problem_in(tokens, expression_of(tokens, i));
    if (problem.empty() && is_condition_of_loop(tokens, i))
      problem = "the condition of a loop in line " + std::to_string(tokens[i].line);
    if (!problem.empty())
      problems.push_back(problem + ": inside a co_await expression; give it a name first");
  }
  return problems;
}

std::string content_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(CoAwait, NoFileMakesTemporariesThatAreDestroyedTwice) {
  std::vector<std::string> wrong;
  int expressions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(MUSTER_SOURCE_DIR)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp") continue;
    const std::string text = content_of(entry.path());
    expressions += text.find("co_await") != text.npos ? 1 : 0;
    for (const std::string& problem : problems_of(text))
      wrong.push_back(entry.path().lexically_relative(MUSTER_SOURCE_DIR).string() + ": " + problem);
  }
  EXPECT_THAT(wrong, IsEmpty());
  EXPECT_GT(expressions, 10) << "files with a co_await under " << MUSTER_SOURCE_DIR;
}

TEST(CoAwait, FindsWhatIsForbidden) {
  EXPECT_THAT(
      problems_of("co_await loop.offload([plugin = x] { return run(plugin); });"),
      ElementsAre("a lambda with captures in line 1: inside a co_await expression; give it a name first"));
  EXPECT_THAT(problems_of("auto c =\n  co_await\n    loop.offload(\n      [this] { return 1; });"),
              ElementsAre(testing::HasSubstr("in line 4")));
  for (const char* bad : {
           "co_await loop.offload([&] { return 1; });",
           "co_return co_await loop.offload([=] { return 1; });",
           "co_await client.send({.path = path});",
           "co_await client.send(ApiRequest{.path = path});",
           "co_await Place{line};",
           "co_await Place{line}, other();",
           "x = co_await f(g(h({1, 2})));",
           "use(Name{text}, co_await f());",
           "use(co_await f(), Name{text});",
           "use(more([&] { return 1; }), g(co_await f()));",
           "if (co_await f({1})) return;",
           "while (co_await f()) g();",
           "while (!stopping && (co_await f()).ok()) g();",
           "do g(); while (co_await f());",
           "co_await f([] { return 1; }, [x] { return x; });",
           "co_await f(\"}\", '{', [x] { return x; });",
           "co_await f(R\"x()\" ;)x\", {1});",
           "co_await f(1'000, {1});",
           "co_await [&]() -> Async<void> { co_return; }();",
       })
    EXPECT_THAT(problems_of(bad), SizeIs(1)) << bad;
}

TEST(CoAwait, LeavesTheRestAlone) {
  for (const char* good : {
           "co_await f(x);",
           "if (x) { co_await f(x); }",
           "if (!is_known) co_await f(x); else { g({1}); }",
           "const auto y = co_await f(x[i], *z);\n use({1});",
           "co_await loop.offload([] { return 42; });",
           "co_await loop.offload([](int a) -> int { return a; });",
           "const auto work = [&] { return 1; };\n auto running = loop.offload(work);\n co_await running;",
           "spawn([&]() -> Async<void> { co_await f(x); }());",
           "const auto x = co_await f(a), y = z;",
           "ApiRequest request{.path = path};\n co_await send(std::move(request));",
           "// co_await f({1});\n /* co_await f({1}); */ co_await f(\"{}\");",
           "for (const auto& item : co_await f()) { use(item); }",
           "while (true) { co_await f(); }",
           "switch (co_await f()) { case 1: break; }",
           "T value{co_await f()};",
       })
    EXPECT_THAT(problems_of(good), IsEmpty()) << good;
}

}  // namespace
}  // namespace muster
