// Any text as a response of the API server: pages of a list, and events of a watch line by line.
#include <simdjson.h>

#include <cstdint>
#include <string>

#include "kube/object_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t seen = 0;
  const auto look = [&](muster::Json object, bool) { seen += simdjson::minify(object).size(); };
  muster::kube::ObjectReader reader;
  reader.page(text, look);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.event(text.substr(0, end),
                 [&](std::string_view, muster::Json object, bool is_whole) { look(object, is_whole); });
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}
