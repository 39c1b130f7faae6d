// Decodes base64, the encoding of certificates in kubeconfig files.
#include <cstdint>

#include "kube/credentials.hpp"

namespace muster::kube {
namespace {

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t digits = 0, padding = 0;
  for (const char c : text) {
    if (is_space(c)) continue;
    padding += c == '=' ? 1 : 0;
    if (c == '=') continue;
    const int value = value_of(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    ++digits;
    if (digits % 4 != 1) bytes.push_back(static_cast<char>(bits >> (6 - 2 * ((digits - 1) % 4)) & 0xFFU));
  }
  if ((digits + padding) % 4 != 0 || padding > 2) return std::nullopt;
  return bytes;
}

}  // namespace muster::kube
