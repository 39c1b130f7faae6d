// Tokens and syntax trees of expressions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cel/value.hpp"
#include "util/result.hpp"

namespace muster::cel {

struct Token {
  enum class Kind : std::uint8_t { kEnd, kName, kNumber, kText, kSign };
  Kind kind = Kind::kEnd;
  std::string text;  // of a text: what it stands for
  std::size_t at = 0;
};

struct Node {
  enum class Kind : std::uint8_t {
    kLiteral,    // value
    kList,       // parts
    kName,       // text
    kMember,     // parts[0].text
    kIndex,      // parts[0][parts[1]]
    kOptional,   // parts[0], a member or an index that may be missing
    kCall,       // text(parts...)
    kMethod,     // parts[0].text(parts[1]...)
    kHas,        // has(parts[0]), a member or an index
    kBind,       // parts[1], in which the name `text` stands for parts[0]
    kMacro,      // parts[0].value(text, parts[1]...), in which the name `text` stands for each item
    kUnary,      // text parts[0]
    kBinary,     // parts[0] text parts[1]
    kCondition,  // parts[0] ? parts[1] : parts[2]
  };
  Kind kind = Kind::kLiteral;
  std::string text;
  Value value = false;
  std::vector<Node> parts;
};

Error syntax_error(std::string message, std::size_t at);
// Ends with a token of kind kEnd.
Result<std::vector<Token>> tokens_of(std::string_view text);
Result<Node> tree_of(const std::vector<Token>& tokens);

}  // namespace muster::cel
