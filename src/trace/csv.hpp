// Reads separated values record by record, with quotes and any line ends; empty lines are skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::trace {

struct CsvRecord {
  int line = 0;                          // line of its first character
  std::vector<std::string_view> values;  // without surrounding space; valid until the next record is read
  std::string mistake;                   // why the record cannot be read; "" if it can
};

// A record that cannot be read ends at its line, and reading continues after it.
class CsvRecords {
 public:
  CsvRecords(std::string_view text, char separator) : rest_(text), separator_(separator) {}

  // Returns null at the end. Empty lines are skipped.
  const CsvRecord* next();
  // The start of the next record.
  const char* position() const { return rest_.data(); }

 private:
  void read_record();
  bool read_value(std::string_view& text);
  bool read_quoted(std::string_view& text);
  void skip_line();

  std::string_view rest_;
  const char separator_;
  int line_ = 1;
  CsvRecord record_;
  struct Unquoted {
    std::size_t value = 0;  // index in the record
    std::string text;
  };
  std::vector<Unquoted> unquoted_;  // values with doubled quotes, after replacing them by single ones
};

// The separator in a header: a comma; without any comma a tab or a semicolon.
char separator_of(std::string_view header);

}  // namespace muster::trace
