// Runs the YAML parser over text in memory and converts its exceptions to errors.
#include "document/yaml_to_json.hpp"

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <istream>
#include <new>
#include <stdexcept>
#include <streambuf>

#include "document/file_text.hpp"
#include "document/yaml_events.hpp"

namespace muster {
namespace {

// A stream over text that it does not own.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // the buffer only reads from it
    setg(begin, begin, begin + text.size());
  }
};

void translate(std::string_view text, int first_line, const std::function<void(const TranslatedYaml&)>& use) {
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  YAML::Parser parser(stream);
  for (int last_start = -1;;) {
    TranslatedYaml translated;
    translated.json.reserve(text.size() + kJsonPadding);
    YamlEvents events(first_line, translated);
    if (!parser.HandleNextDocument(events)) return;
    // The parser makes no progress at text that cannot begin a document, which would repeat forever.
    if (events.start().pos == last_start) throw YAML::ParserException(events.start(), "unexpected text");
    last_start = events.start().pos;
    if (translated.json.empty() || translated.json == "null") continue;
    translated.json.reserve(translated.json.size() + kJsonPadding);
    use(translated);
  }
}

}  // namespace

void yaml_to_json(std::string_view text, int first_line,
                  const std::function<void(const TranslatedYaml&)>& use,
                  const std::function<void(int line, const std::string& message)>& fail) {
  try {
    translate(text, first_line, use);
  } catch (const YAML::Exception& e) {
    fail(first_line + (e.mark.is_null() ? 0 : e.mark.line), e.msg);
  } catch (const std::bad_alloc&) {
    throw;  // not caused by the text
  } catch (const std::length_error&) {
    throw;
  } catch (const std::exception& e) {
    fail(first_line, e.what());
  }
}

}  // namespace muster
