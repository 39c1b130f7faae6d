// Finds the decoder for an apiVersion and kind.
#include "manifest/manifest.hpp"

#include "manifest/decoders.hpp"
#include "manifest/kinds.hpp"
#include "manifest/known_keys.hpp"

namespace muster {
namespace {

constexpr std::string_view kVolcano = "scheduling.volcano.sh";

struct Step {
  const Document& document;
  const DecodeOptions& options;
  const ObjectSink& sink;
  Findings& findings;
};

void decode_known(const Step& step, const ObjectKind& kind) {
  Decoding decoding{step.document, kind.is_namespaced ? Scope::kNamespaced : Scope::kCluster, step.options,
                    step.findings};
  Object object;
  kind.decode(Field(decoding), object);
  if (!decoding.is_unusable) step.sink(std::move(object));
}

// Decodes any kind that is not in the table.
constexpr ObjectKind kOwner{
    .decode = [](const Field& root, Object& into) { decode(root, into.emplace<OwnerObject>()); }};

std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

Error error_at(const Document& document, std::string message, std::string path = "") {
  const int line = document.line_of(path);
  return {std::move(message), {document.file(), line, "", std::move(path)}};
}

// Objects of other schedulers and controllers are only counted. An object without a kind is a mistake.
void count_unknown(const Document& document, Findings& findings) {
  if (!document.root().is_object()) {
    findings.errors.push_back(error_at(document, "not a Kubernetes object"));
  } else if (document.kind().empty() && !document.api_version().empty()) {
    findings.errors.push_back(error_at(document, "is missing", "kind"));
  } else if (document.kind().empty()) {
    ++findings.unknown_kinds["(no kind)"];
  } else {
    const std::string version(document.api_version());
    ++findings.unknown_kinds[version + (version.empty() ? "" : " ") + std::string(document.kind())];
  }
}

bool has(const Document& document, std::string_view pointer) {
  Json value;
  return document.root().at_pointer(pointer).get(value) == simdjson::SUCCESS && !value.is_null();
}

// Whether the object affects its pods: it sets how they may be interrupted, or it has an owner itself.
bool affects_pods(const Document& document) {
  return has(document, "/metadata/labels/kai.scheduler~1preemptibility") ||
         has(document, "/metadata/ownerReferences/0");
}

void check_other(const Step& step) {
  Decoding decoding{step.document, Scope::kNamespaced, step.options, step.findings};
  const Field root(decoding), metadata = root["metadata"];
  check_keys(metadata, PlainKeys::kIgnored);
}

void note_foreign(const Document& document, Findings& findings) {
  Findings::ForeignGroups& groups = findings.foreign_groups[std::string(kVolcano)];
  if (++groups.count > 1) return;
  const DecodeOptions options;
  Decoding decoding{document, Scope::kNamespaced, options, findings};
  groups.where = {document.file(), document.line_of(""), Field(decoding).object_name(), ""};
}

// Any object may own pods. One that does not affect them only counts as the top of its chain of owners.
void decode_other(const Step& step) {
  const Document& document = step.document;
  const bool is_object =
      document.root().is_object() && !document.kind().empty() && has(document, "/metadata/name");
  if (!is_object || !affects_pods(document)) count_unknown(document, step.findings);
  if (!is_object) return;
  if (!affects_pods(document)) {
    check_other(step);
    Findings not_ours;
    return decode_known({document, step.options, step.sink, not_ours}, kOwner);
  }
  ++step.findings.known_kinds[std::string(document.kind())];
  decode_known(step, kOwner);
}

}  // namespace

void decode_object(const Document& document, const DecodeOptions& options, const ObjectSink& sink,
                   Findings& findings) {
  const ObjectKind* const known = find_kind(group_of(document.api_version()), document.kind());
  if (known == nullptr) return decode_other({document, options, sink, findings});
  ++findings.known_kinds[std::string(known->kind)];
  if (known->group == kVolcano) note_foreign(document, findings);
  decode_known({document, options, sink, findings}, *known);
}

Findings read_manifests(const std::vector<std::string>& paths, const DecodeOptions& options,
                        const ObjectSink& sink) {
  Findings findings;
  const auto use = [&](const Document& document) { decode_object(document, options, sink, findings); };
  const auto fail = [&](const Error& error) { findings.errors.push_back(error); };
  for (const std::string& path : paths) {
    const auto files = files_below(path);
    if (!files) fail(files.error());
    if (!files) continue;
    for (const std::string& file : *files) read_documents(file, use, fail);
  }
  return findings;
}

}  // namespace muster
