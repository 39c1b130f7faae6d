#include "document/document.hpp"

#include <utility>

#include "document/file_text.hpp"
#include "document/items.hpp"
#include "document/sections.hpp"
#include "document/yaml_to_json.hpp"

namespace muster {
namespace {

constexpr std::size_t kMostYamlFallback = std::size_t{16} << 20;

bool begins_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

// `{"` begins an object of JSON, `{a` a mapping of YAML in flow style.
bool looks_like_json(std::string_view text) {
  const std::size_t second = text.find_first_not_of(" \t\r\n", 1);
  return text[0] == '[' || second == std::string_view::npos || text[second] == '"' || text[second] == '}';
}

bool has_json_name(const std::string& file) { return file.ends_with(".json"); }

class Reader {
 public:
  // `text` must be followed by readable padding.
  Reader(const std::string& file, const std::function<void(const Document&)>& use,
         const std::function<void(const Error&)>& fail)
      : file_(file), use_(use), fail_(fail) {}

  void read(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    for (Sections sections(text); const auto section = sections.next();) {
      const Section content = without_preamble(*section);
      if (content.text.empty()) continue;
      if (begins_json(content.text))
        json_section(content);
      else
        yaml(*section);
    }
  }

 private:
  void json_section(Section rest) {
    while (!rest.text.empty()) {
      if (!begins_json(rest.text)) return yaml(rest);
      rest = without_leading_space(advanced(rest, json_document(rest)));
    }
  }

  // Reads one document and returns the length of its text.
  std::size_t json_document(const Section& rest) {
    const std::string_view likely = json_up_to_next_start(rest.text);
    if (parsed(without_trailing_space(likely), rest.line)) return likely.size();
    const std::string_view exact = json_by_brackets(rest.text);
    if (exact.size() != without_trailing_space(likely).size() && !exact.empty() && parsed(exact, rest.line))
      return exact.size();
    not_json(without_trailing_space(likely), rest.line);
    return likely.size();
  }

  bool parsed(std::string_view json, int line) {
    Json root;
    last_ = parser_.parse(json.data(), json.size(), false).get(root);
    if (last_ != simdjson::SUCCESS) return false;
    const bool is_single_line = json.find('\n') == std::string_view::npos;
    for_each_item(root, {.file = file_, .line = is_single_line ? line : 0}, use_);
    return true;
  }

  // Text in brackets that is no JSON may be YAML in flow style, and if not, YAML knows the line of the
  // mistake.
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
    for_each_item(root, {.file = file_, .places = &translated.places}, use_);
  }

  void fail(const std::string& message, int line) { fail_({message, {.file = file_, .line = line}}); }

  const std::string& file_;
  const std::function<void(const Document&)>& use_;
  const std::function<void(const Error&)>& fail_;
  simdjson::dom::parser parser_;
  simdjson::error_code last_ = simdjson::SUCCESS;
};

}  // namespace

void read_documents(const std::string& file, const std::function<void(const Document&)>& use,
                    const std::function<void(const Error&)>& fail) {
  const auto content = FileText::open(file);
  if (!content) return fail(content.error());
  Reader(file, use, fail).read(content->text());
}

void read_documents_in(const std::string& name, std::string_view text,
                       const std::function<void(const Document&)>& use,
                       const std::function<void(const Error&)>& fail) {
  std::string padded;
  padded.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  padded = text;
  Reader(name, use, fail).read(padded);
}

}  // namespace muster
