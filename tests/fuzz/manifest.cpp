// Any text as a manifest file: it is read or rejected, the same way twice.
#include "manifest/manifest.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "document/document.hpp"
#include "model/cluster.hpp"

namespace {

using namespace muster;

std::string read_all(std::string_view text, Cluster& cluster) {
  Findings findings;
  read_documents_in(
      "fuzz.yaml", text,
      [&](const Document& document) {
        decode_object(
            document, {}, [&](Object&& object) { cluster.apply(std::move(object)); }, findings);
      },
      [&](const Error& error) { findings.errors.push_back(error); });
  std::string said;
  for (const auto* list : {&findings.errors, &findings.warnings})
    for (const Error& error : *list) said += error.text() + "\n";
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Cluster first, second;
  if (read_all(text, first) != read_all(text, second)) std::abort();
  first.refresh(TimePoint());
  second.refresh(TimePoint());
  if (first.fingerprint() != second.fingerprint() || !first.recount().empty()) std::abort();
  return 0;
}
