// Reads values one after another from the front of the text.
#include "trace/csv.hpp"

#include <algorithm>

#include "trace/values.hpp"

namespace muster::trace {
namespace {

// Limits the effect of an unclosed quote: otherwise it could consume the file, or make every row scan to the
// end.
constexpr std::size_t kLongestQuoted = std::size_t{1} << 16;
constexpr std::string_view kSpace = " \t";

// The end of the first line of the text, which may be the end of the text.
std::size_t end_of_line(std::string_view text) { return std::min(text.find_first_of("\r\n"), text.size()); }

std::size_t length_of_line_end(std::string_view text) {
  if (text.starts_with("\r\n")) return 2;
  return text.starts_with('\n') || text.starts_with('\r') ? 1 : 0;
}

// The position of the quote that closes the one at the start of `text`, or npos.
std::size_t closing_quote(std::string_view text) {
  const std::string_view searched = text.substr(0, kLongestQuoted);
  for (std::size_t at = searched.find('"', 1); at != std::string_view::npos; at = searched.find('"', at + 2))
    if (at + 1 >= text.size() || text[at + 1] != '"') return at;
  return std::string_view::npos;
}

std::string with_single_quotes(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    result += text[at];
    if (text[at] == '"') ++at;
  }
  return result;
}

}  // namespace

const CsvRecord* CsvRecords::next() {
  while (!rest_.empty()) {
    record_ = {.line = line_};
    unquoted_.clear();
    const std::string_view line = rest_.substr(0, end_of_line(rest_));
    if (without_space(line).empty()) {
      skip_line();
      continue;
    }
    read_record();
    return &record_;
  }
  return nullptr;
}

void CsvRecords::read_record() {
  std::string_view text = rest_;
  while (read_value(text)) {
  }
  if (!record_.mistake.empty()) return skip_line();
  const std::string_view read = rest_.substr(0, rest_.size() - text.size());
  line_ += static_cast<int>(std::ranges::count(read, '\n'));
  rest_ = text;
  skip_line();
  for (const Unquoted& unquoted : unquoted_) record_.values[unquoted.value] = unquoted.text;
}

// Returns whether another value follows on the line.
bool CsvRecords::read_value(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (separator_ != '\t' && first != std::string_view::npos && text[first] == '"') {
    text.remove_prefix(first);
    return read_quoted(text);
  }
  if (text.starts_with('"')) return read_quoted(text);
  const std::size_t end = std::min(text.substr(0, end_of_line(text)).find(separator_), end_of_line(text));
  record_.values.push_back(without_space(text.substr(0, end)));
  const bool goes_on = end < text.size() && text[end] == separator_;
  text.remove_prefix(end + goes_on);
  return goes_on;
}

bool CsvRecords::read_quoted(std::string_view& text) {
  const std::size_t end = closing_quote(text);
  if (end == std::string_view::npos) {
    record_.mistake = "a quote is not closed";
    return false;
  }
  const std::string_view value = text.substr(1, end - 1);
  record_.values.push_back(value);
  if (value.find('"') != std::string_view::npos)
    unquoted_.push_back({record_.values.size() - 1, with_single_quotes(value)});
  text.remove_prefix(end + 1);
  const std::string_view line = text.substr(0, end_of_line(text));
  const std::size_t separator = line.find(separator_);
  if (!without_space(line.substr(0, separator)).empty()) {
    record_.mistake = "text after a closing quote; write a quote inside quotes twice";
    return false;
  }
  const bool goes_on = separator != std::string_view::npos;
  text.remove_prefix(goes_on ? separator + 1 : line.size());
  return goes_on;
}

void CsvRecords::skip_line() {
  rest_.remove_prefix(end_of_line(rest_));
  const std::size_t end = length_of_line_end(rest_);
  line_ += end > 0 ? 1 : 0;
  rest_.remove_prefix(end);
}

char separator_of(std::string_view header) {
  const std::string_view line = header.substr(0, end_of_line(header));
  for (const char separator : {',', '\t', ';'})
    if (line.find(separator) != std::string_view::npos) return separator;
  return ',';
}

}  // namespace muster::trace
