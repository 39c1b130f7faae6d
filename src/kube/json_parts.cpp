// Scans brackets and strings without recursion, so nesting depth does not matter.
#include "kube/json_parts.hpp"

namespace muster::kube {
namespace {

// Returns the position after the closing quote of the string that begins at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at)
    if (text[at] == '\\') ++at;
  return at < text.size() ? at + 1 : text.size();
}

// Calls `use` for the keys and values directly inside the outermost brackets. Returns false if the text is
// truncated.
template <class Use>
bool each_value(std::string_view text, Use use) {
  constexpr std::string_view kBetween = " \t\r\n,:";
  int depth = 0;
  std::size_t begin = std::string_view::npos;
  const auto end_value = [&](std::size_t end) {
    if (begin != std::string_view::npos) use(text.substr(begin, end - begin));
    begin = std::string_view::npos;
  };
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool closes = c == '}' || c == ']';
    if (closes) --depth;
    if (depth == 0 && closes) return end_value(at), true;
    if (depth == 1 && !closes) {
      if (kBetween.find(c) != std::string_view::npos)
        end_value(at);
      else if (begin == std::string_view::npos)
        begin = at;
    }
    if (c == '{' || c == '[') ++depth;
    at = c == '"' ? end_of_string(text, at) : at + 1;
  }
  return false;
}

}  // namespace

std::string_view member_text(std::string_view object, std::string_view key) {
  std::string_view found, last;
  bool is_key = true;
  const bool is_complete = each_value(object, [&](std::string_view value) {
    const bool is_it =
        !is_key && found.empty() && last.size() == key.size() + 2 && last.substr(1, key.size()) == key;
    if (is_it) found = value;
    last = value;
    is_key = !is_key;
  });
  return is_complete ? found : std::string_view();
}

std::vector<std::string_view> item_texts(std::string_view array) {
  std::vector<std::string_view> items;
  const bool is_complete = each_value(array, [&](std::string_view item) { items.push_back(item); });
  return is_complete ? items : std::vector<std::string_view>();
}

}  // namespace muster::kube
