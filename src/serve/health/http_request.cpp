// Splits the head into its parts, decodes the path, and refuses a path that is not plain text.
#include "serve/health/http_request.hpp"

#include <simdjson.h>

#include <algorithm>

namespace muster::serve {
namespace {

// Returns -1 if `c` is not a hexadecimal digit.
int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

// U+0080 to U+009F, in valid UTF-8.
bool is_c1_control(unsigned char first, unsigned char second) { return first == 0xc2 && second < 0xa0; }

bool are_equal_names(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit_of(text[i + 2]) : -1;
    if (high < 0 || low < 0) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

bool is_plain_text(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size(); ++i)
    if (is_control(byte(i)) || (i + 1 < text.size() && is_c1_control(byte(i), byte(i + 1)))) return false;
  return true;
}

bool is_visible_ascii(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

std::string_view header_of(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end == head.npos ? head.size() : end + 2);
    const std::size_t colon = line.find(':');
    if (colon != line.npos && are_equal_names(line.substr(0, colon), name))
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

std::variant<HttpRequest, HttpRefusal> read_request(std::string_view head) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last || !line.substr(last + 1).starts_with("HTTP/1."))
    return HttpRefusal{.message = "the request is not HTTP/1"};
  std::string_view path = line.substr(first + 1, last - first - 1);
  path = path.substr(0, path.find('?'));
  const auto decoded = percent_decoded(path);
  if (!decoded || !is_plain_text(*decoded))
    return HttpRefusal{.message = "the path must be UTF-8 text without control characters"};
  if (!decoded->starts_with('/')) return HttpRefusal{.message = "the path must begin with /"};
  return HttpRequest{.method = std::string(line.substr(0, first)),
                     .path = *decoded,
                     .authorization = std::string(header_of(head, "Authorization"))};
}

}  // namespace muster::serve
