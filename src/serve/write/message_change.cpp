// Compares both texts character by character and skips numbers.
#include "serve/write/message_change.hpp"

#include <cstddef>

namespace muster::serve {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns the position after the number at `at`, or `at` if there is none.
std::size_t behind_number(std::string_view text, std::size_t at) {
  if (at == text.size() || !is_digit(text[at])) return at;
  while (at < text.size() && (is_digit(text[at]) || text[at] == '.')) ++at;
  return at;
}

}  // namespace

bool differ_in_numbers_only(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (true) {
    i = behind_number(a, i), j = behind_number(b, j);
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

}  // namespace muster::serve
