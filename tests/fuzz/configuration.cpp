// Any text as a configuration file: it is read or rejected, the same way twice.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "config/config.hpp"

namespace {

std::string said_of(std::string_view text) {
  const muster::LoadedConfig loaded = muster::parse_config("fuzz.yaml", text, {});
  std::string said;
  for (const auto* list : {&loaded.errors, &loaded.warnings})
    for (const muster::Error& error : *list) said += error.text() + "\n";
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (said_of(text) != said_of(text)) std::abort();
  return 0;
}
