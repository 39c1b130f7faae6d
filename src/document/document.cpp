// Distinguishes JSON from YAML section by section and passes each document to the right parser.
#include "document/document.hpp"

#include <utility>

#include "document/items.hpp"
#include "document/json.hpp"
#include "document/manifest_names.hpp"
#include "document/sections.hpp"
#include "document/texts.hpp"
#include "document/yaml_to_json.hpp"

namespace muster {
namespace {

static_assert(kJsonPadding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t kMostYamlFallback = std::size_t{16} << 20;
constexpr std::size_t kSearches = 4;  // searches through the whole text for the end of a document

bool begins_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

// `{"` starts a JSON object; `{a` starts a YAML mapping in flow style.
bool looks_like_json(std::string_view text) {
  const std::size_t second = text.find_first_not_of(" \t\r\n", 1);
  return text[0] == '[' || second == std::string_view::npos || text[second] == '"' || text[second] == '}';
}

bool has_json_name(const std::string& file) { return without_packing_suffix(file).ends_with(".json"); }

class Reader {
 public:
  // REQUIRES: `text` is followed by readable padding.
  Reader(const std::string& file, const std::function<void(const Document&)>& use,
         const std::function<void(const Error&)>& fail, Snapshots snapshots = Snapshots::kUnfolded)
      : file_(file), use_(use), fail_(fail), snapshots_(snapshots) {}

  // Calls `done(const char*)` with the end of each section after reading it.
  template <class Done>
  void read(std::string_view text, Done&& done) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    bracket_budget_ = kSearches * text.size();
    for (Sections sections(text); const auto section = sections.next();) {
      read_section(*section);
      done(section->text.data() + section->text.size());
    }
  }

 private:
  void read_section(const Section& section) {
    const Section content = without_preamble(section);
    if (content.text.empty()) return;
    if (begins_json(content.text))
      json_section(content);
    else
      yaml(section);
  }

  void json_section(Section rest) {
    while (!rest.text.empty()) {
      if (!begins_json(rest.text)) return yaml(rest);
      rest = without_leading_space(advanced(rest, json_document(rest)));
    }
  }

  // Reads one document and returns the length of its text. Documents that follow each other on a line are
  // found by their brackets. After the first such line, brackets are tried first.
  std::size_t json_document(const Section& rest) {
    if (prefers_brackets_)
      if (const std::size_t size = document_by_brackets(rest)) return size;
    const std::string_view likely = json_up_to_next_start(rest.text);
    if (parsed(without_trailing_space(likely), rest.line)) return likely.size();
    prefers_brackets_ = false;
    if (const std::size_t size = document_by_brackets(rest)) return size;
    not_json(without_trailing_space(likely), rest.line);
    return likely.size();
  }

  // Returns 0 if brackets do not delimit a document. The number of searches is limited, because broken
  // documents may send each one to the end of the file.
  std::size_t document_by_brackets(const Section& rest) {
    const std::string_view searched = rest.text.substr(0, bracket_budget_);
    const std::string_view exact = json_by_brackets(searched);
    if (exact.empty()) bracket_budget_ -= searched.size();
    prefers_brackets_ = !exact.empty() && parsed(exact, rest.line);
    return prefers_brackets_ ? exact.size() : 0;
  }

  bool parsed(std::string_view json, int line) {
    Json root;
    last_ = parser_.parse(json.data(), json.size(), false).get(root);
    if (last_ != simdjson::SUCCESS) return false;
    const bool is_single_line = json.find('\n') == std::string_view::npos;
    for_each_item(root, {.file = file_, .line = is_single_line ? line : 0}, snapshots_, use_);
    return true;
  }

  // Text in brackets that is not JSON may be YAML in flow style. If it is not, the YAML parser still knows
  // the line of the mistake.
  void not_json(std::string_view text, int line) {
    const std::string why = simdjson::error_message(last_);
    if (text.size() > kMostYamlFallback) return fail("not valid JSON: " + why, line);
    bool is_yaml = false;
    const auto use = [&](const TranslatedYaml& translated) {
      is_yaml = true;
      if (!has_json_name(file_)) yaml_document(translated);
    };
    bool failed = false;
    const auto mistake = [&](int at, const std::string& message) {
      failed = true;
      fail(looks_like_json(text) ? "not valid JSON: " + why : message, at);
    };
    yaml_to_json(text, line, use, mistake);
    if (!failed && (!is_yaml || has_json_name(file_))) fail("not valid JSON: " + why, line);
  }

  void yaml(const Section& section) {
    yaml_to_json(
        section.text, section.line, [&](const TranslatedYaml& translated) { yaml_document(translated); },
        [&](int line, const std::string& message) { fail(message, line); });
  }

  void yaml_document(const TranslatedYaml& translated) {
    Json root;
    const auto error = parser_.parse(translated.json.data(), translated.json.size(), false).get(root);
    if (error != simdjson::SUCCESS)
      return fail(simdjson::error_message(error), translated.places.line_of(""));
    for_each_item(root, {.file = file_, .places = &translated.places}, snapshots_, use_);
  }

  void fail(const std::string& message, int line) { fail_({message, {.file = file_, .line = line}}); }

  const std::string& file_;
  const std::function<void(const Document&)>& use_;
  const std::function<void(const Error&)>& fail_;
  const Snapshots snapshots_;
  simdjson::dom::parser parser_;
  simdjson::error_code last_ = simdjson::SUCCESS;
  bool prefers_brackets_ = false;
  std::size_t bracket_budget_ = 0;
};

}  // namespace

void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                    const std::function<void(const Error&)>& fail) {
  for_each_text(
      file, [&](NamedText text) { read_documents_of(std::move(text), use, fail); }, fail);
}

void read_documents_of(const NamedText& text, Snapshots snapshots,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail) {
  reporting_out_of_memory(text.name, fail, [&] {
    Reader(text.name, use, fail, snapshots).read(text.text.text(), [](const char*) {});
  });
}

void read_documents_of(NamedText&& text, const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail) {
  FileText content = std::move(text.text);
  reporting_out_of_memory(text.name, fail, [&] {
    Reader(text.name, use, fail).read(content.text(), [&](const char* end) { content.forget_before(end); });
  });
}

void read_documents_in(const std::string& name, std::string_view text,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail) {
  reporting_out_of_memory(name, fail, [&] {
    std::string padded;
    padded.reserve(text.size() + kJsonPadding);
    padded = text;
    Reader(name, use, fail).read(padded, [](const char*) {});
  });
}

}  // namespace muster
