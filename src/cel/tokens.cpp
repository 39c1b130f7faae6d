// Splits an expression into tokens: names, numbers, strings with escapes, and operators.
#include <fmt/format.h>

#include <charconv>

#include "cel/syntax.hpp"

namespace muster::cel {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<Token>> read() {
    std::vector<Token> tokens;
    for (skip(); at_ < text_.size(); skip()) {
      auto token = next();
      if (!token) return token.error();
      tokens.push_back(*std::move(token));
    }
    tokens.push_back({Token::Kind::kEnd, "", at_});
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void skip() {
    while (at_ < text_.size() && (is_space(peek()) || (peek() == '/' && peek(1) == '/'))) {
      if (peek() == '/') at_ = std::min(text_.find('\n', at_), text_.size());
      if (at_ < text_.size()) ++at_;
    }
  }

  Result<Token> next() {
    const bool is_raw = (peek() == 'r' || peek() == 'R') && (peek(1) == '"' || peek(1) == '\'');
    if (is_raw || peek() == '"' || peek() == '\'') return quoted(is_raw);
    if (is_letter(peek())) return word(Token::Kind::kName);
    if (is_digit(peek())) return number();
    return sign();
  }

  Token word(Token::Kind kind) {
    const std::size_t start = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    return {kind, std::string(text_.substr(start, at_ - start)), start};
  }

  Result<Token> number() {
    Token token = word(Token::Kind::kNumber);
    if (peek() == '.' && is_digit(peek(1))) return syntax_error("fractions are not supported", token.at);
    return token;
  }

  Result<Token> sign() {
    constexpr std::string_view kDouble[] = {"&&", "||", "==", "!=", "<=", ">="};
    for (const std::string_view sign : kDouble)
      if (text_.substr(at_).starts_with(sign)) return taken(sign.size());
    constexpr std::string_view kSingle = "!<>()[].,?:+-*/%";
    if (kSingle.find(peek()) != std::string_view::npos) return taken(1);
    return syntax_error(fmt::format("\"{}\" is not expected", peek()), at_);
  }

  Token taken(std::size_t length) {
    const std::size_t start = at_;
    at_ += length;
    return {Token::Kind::kSign, std::string(text_.substr(start, length)), start};
  }

  Result<Token> quoted(bool is_raw) {
    Token token{Token::Kind::kText, "", at_};
    if (is_raw) ++at_;
    const char quote = peek();
    const bool is_long = peek(1) == quote && peek(2) == quote;
    const std::string end(is_long ? 3 : 1, quote);
    for (at_ += end.size(); !text_.substr(at_).starts_with(end); ++at_) {
      if (at_ >= text_.size() || (peek() == '\n' && !is_long))
        return syntax_error("the text does not end", token.at);
      if (peek() != '\\' || is_raw)
        token.text += peek();
      else if (!escaped(token.text))
        return syntax_error("the escape is not supported", at_ - 1);
    }
    at_ += end.size();
    return token;
  }

  bool escaped(std::string& out) {
    constexpr std::string_view kFrom = "\\\"'`?abfnrtv", kTo = "\\\"'`?\a\b\f\n\r\t\v";
    ++at_;
    if (peek() == 'x' || peek() == 'X' || peek() == 'u') return code_point(out, peek() == 'u' ? 4 : 2);
    const std::size_t found = kFrom.find(peek());
    if (at_ >= text_.size() || found == std::string_view::npos) return false;
    out += kTo[found];
    return true;
  }

  // Reads a code point of this many hexadecimal digits, and appends it as UTF-8.
  bool code_point(std::string& out, std::size_t digits) {
    unsigned code = 0;
    const std::string_view text = text_.substr(std::min(at_ + 1, text_.size()), digits);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, 16);
    const bool is_surrogate = code >= 0xD800 && code < 0xE000;
    if (error != std::errc() || end != text.data() + digits || is_surrogate) return false;
    at_ += digits;
    if (code < 0x80) return out += static_cast<char>(code), true;
    if (code < 0x800)
      out += static_cast<char>(0xC0 | (code >> 6));
    else
      out += static_cast<char>(0xE0 | (code >> 12)), out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    return out += static_cast<char>(0x80 | (code & 0x3F)), true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Error syntax_error(std::string message, std::size_t at) {
  return {fmt::format("character {}: {}", at + 1, message), {}};
}

Result<std::vector<Token>> tokens_of(std::string_view text) { return Reader(text).read(); }

}  // namespace muster::cel
